import type { BatchView } from '../../../shared/contract/batches/batch.ts';
import type { MemberCall } from '../page-call.ts';
import { count, counted, share } from './count.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import { moment } from './moment.ts';
import { pagedList } from './paged-list.ts';

export const batchStatusNames: Readonly<Record<BatchView['status'], string>> = {
  waiting_for_upload: 'Waiting for its upload',
  running: 'Running',
  completed: 'Completed',
  cancelled: 'Cancelled',
};

export function batchesPage(
  call: MemberCall,
  batches: readonly BatchView[],
  cursor: string | undefined,
): Html {
  const items = batches.map((batch) => item(call, batch));
  const main = html`<h1>Batches</h1>
    <p class="lead">The batches of your organization, newest first.</p>
    ${pagedList(call, {
      ...{ path: '/batches', items, cursor, filters: [], name: 'batch', style: 'jobs' },
      none: 'There are no batches yet. One call can submit up to 1,000 requests as a batch.',
    })}`;
  return layout(call, { title: 'Batches', main });
}

function item(call: MemberCall, { batch_id: id, status, counts, ...batch }: BatchView): Html {
  const settled = counts.completed + counts.failed + counts.invalid;
  const details = [
    `${share(settled, counts.total)} of ${counted(counts.total, 'request')}`,
    ...(counts.failed > 0 ? [`${count(counts.failed)} failed`] : []),
    counted(batch.credits_used, 'credit'),
    ...(batch.tags ?? []),
  ];
  return html`<li>
    <span class="badge ${status === 'completed' ? 'good' : ''}">${batchStatusNames[status]}</span>
    <a href="${call.at(`/batches?id=${id}`)}">${id}</a>
    <span class="details">${details.join(' · ')}</span>
    ${moment(batch.created_at)}
  </li>`;
}
