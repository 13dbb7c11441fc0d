import type { BatchView } from '../../../shared/contract/batches/batch.ts';
import type { MemberCall } from '../page-call.ts';
import { count, share } from './count.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import type { Column } from './list-table.ts';
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
  const main = html`<h1>Batches</h1>
    <p class="lead">The batches of your organization, newest first.</p>
    ${pagedList(call, {
      ...{ path: '/batches', columns, cursor, filters: [], name: 'batch' },
      rows: batches.map((batch) => cells(call, batch)),
      none: 'There are no batches yet. One call can submit up to 1,000 requests as a batch.',
    })}`;
  return layout(call, { title: 'Batches', main });
}

const columns: readonly Column[] = [
  { name: 'State', style: 'badge' },
  { name: 'Batch', style: 'main' },
  { name: 'Ended', style: 'number' },
  { name: 'Requests', style: 'number' },
  { name: 'Failed', style: 'number' },
  { name: 'Credits', style: 'number' },
  { name: 'Tags', style: 'text' },
  { name: 'Submitted', style: 'time' },
];

function cells(call: MemberCall, { batch_id: id, status, counts, ...batch }: BatchView) {
  const settled = counts.completed + counts.failed + counts.invalid;
  return [
    html`<span class="badge ${status === 'completed' ? 'good' : ''}">${batchStatusNames[status]}</span>`,
    html`<a href="${call.at(`/batches?id=${id}`)}">${id}</a>`,
    share(settled, counts.total),
    count(counts.total),
    count(counts.failed),
    count(batch.credits_used),
    (batch.tags ?? []).join(' · '),
    moment(batch.created_at),
  ];
}
