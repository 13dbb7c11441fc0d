import type { BatchView } from '../../../shared/contract/batches/batch.ts';
import type { MemberCall } from '../page-call.ts';
import { batchStatusNames } from './batches-page.ts';
import { askButton } from './ask-page.ts';
import { count, counted, share } from './count.ts';
import { form } from './form.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import { moment } from './moment.ts';
import { type Row, rows } from './rows.ts';
import { table } from './table.ts';
import { withCode } from './with-code.ts';
import { addMs } from '../../../shared/time/units.ts';

type Shown = {
  apiUrl: string;
  batch: BatchView;
  /** Its results fit into a file. */
  isFile: boolean;
  /** Codes of its requests that failed, if its results fit into a file. */
  failures: readonly string[];
  now: Date;
};

export function batchPage(call: MemberCall, shown: Shown): Html {
  return page(call, html`${batchCard(call, shown)} ${reasons(shown)}`);
}

export function missingBatchPage(call: MemberCall): Html {
  return page(call, html`<p class="fault" role="alert">There is no such batch.</p>`);
}

function page(call: MemberCall, content: Html): Html {
  const main = html`<h1>Batch</h1>
    ${content}
    <p><a href="${call.at('/batches')}">All batches</a></p>`;
  return layout(call, { title: 'Batch', main });
}

function batchCard(call: MemberCall, { batch, isFile, now }: Shown): Html {
  const { batch_id: id, status, counts } = batch;
  const settled = endedIn(counts);
  const mayRetry = batch.completed_at !== undefined && counts.failed > 0;
  const mayCancel = status === 'running' || status === 'waiting_for_upload';
  return html`<section class="card" aria-labelledby="batch">
    <h2 id="batch">${id}</h2>
    <p class="state ${status === 'completed' ? 'done' : ''}">
      ${batchStatusNames[status]}: ${share(settled, counts.total)} of ${counted(counts.total, 'request')}.
    </p>
    <progress max="${counts.total}" value="${settled}" aria-label="Requests that have ended"></progress>
    ${rows('rows', [...numbers(batch), ...times(batch, now)])}
    <p class="buttons">
      ${isFile && settled > 0 && html`<a class="button" href="${call.at(`/batch-results?id=${id}`)}">Download its results as NDJSON</a>`}
      ${status === 'running' && html`<a class="button" href="${call.at(`/batches?id=${id}`)}">Show its state now</a>`}
    </p>
    ${settled > 0 && resultsByApi(batch)}
    ${mayCancel && askButton(call, '/cancel-batch', { id }, 'Cancel the batch')}
    ${mayRetry && form(call, { action: '/retry-batch', hidden: { id, once: call.requestId }, submit: `Retry ${counted(counts.failed, 'failed request')}`, kind: 'plain' })}
  </section>`;
}

function resultsByApi({ results_url: url }: BatchView): Html {
  return html`<p>The API returns its results with their pages, line by line or as links to files:</p>
    <pre class="code">curl "${url}" --header "Authorization: Bearer $SITEFETCH_KEY"</pre>`;
}

const endedIn = ({ completed, failed, invalid }: BatchView['counts']) => completed + failed + invalid;

function numbers({ counts, credits_used: credits, tags = [], error }: BatchView): Row[] {
  return [
    ['Completed', count(counts.completed)],
    ['Failed', count(counts.failed)],
    ['Charged', count(counts.charged)],
    ['Not charged', count(counts.uncharged)],
    ...(counts.invalid > 0 ? [['Invalid', count(counts.invalid)] as const] : []),
    ['Running', count(counts.running)],
    ['Pending', count(counts.pending)],
    ...(counts.by_verdict?.bot_wall ? [['Bot walls', count(counts.by_verdict.bot_wall)] as const] : []),
    ['Credits', counted(credits, 'credit')],
    ...(error === undefined ? [] : [['Error', withCode(error)] as const]),
    ...(tags.length > 0 ? [['Tags', tags.join(' · ')] as const] : []),
  ];
}

function times(batch: BatchView, now: Date): Row[] {
  const end = expectedEnd(batch, now);
  return [
    ['Submitted', moment(batch.created_at)],
    ...(end ? [['Expected end', html`${moment(end, 'minute')} at the pace so far`] as const] : []),
    ...(batch.cancelled_at ? [['Cancelled', moment(batch.cancelled_at)] as const] : []),
    batch.completed_at ? ['Finished', moment(batch.completed_at)] : ['Settled by', moment(batch.deadline_at)],
    ['Kept until', moment(batch.expires_at)],
  ];
}

/** Fewer ended requests say little about the pace. */
const FEWEST = 5;

function expectedEnd(
  { status, counts, created_at: createdAt, started_at: startedAt = createdAt }: BatchView,
  now: Date,
): Date | undefined {
  const settled = endedIn(counts);
  if (status !== 'running' || settled < FEWEST) return undefined;
  const perRequest = (now.getTime() - Date.parse(startedAt)) / settled;
  return addMs(now, perRequest * (counts.total - settled));
}

function reasons({ apiUrl, failures }: Shown): Html | false {
  const codes = Object.entries(Object.groupBy(failures, (code) => code)).sort(
    ([, a = []], [, b = []]) => b.length - a.length,
  );
  if (codes.length === 0) return false;
  const list = codes.map(([code, all = []]) => [
    html`<a href="${apiUrl}/docs/errors/${code}">${code}</a>`,
    count(all.length),
  ]);
  return html`<section class="card" aria-labelledby="failures">
    <h2 id="failures">Why requests failed</h2>
    ${table({ caption: 'Failed requests by reason', head: ['Reason', 'Requests'], rows: list })}
  </section>`;
}
