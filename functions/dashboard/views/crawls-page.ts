import type { CrawlView } from '../../../shared/contract/crawls/crawl-view.ts';
import type { MemberCall } from '../page-call.ts';
import { count } from './count.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import type { Column } from './list-table.ts';
import { moment } from './moment.ts';
import { pagedList, shownUrl } from './paged-list.ts';

export const crawlStatusNames: Readonly<Record<CrawlView['status'], string>> = {
  running: 'Running',
  completed: 'Completed',
  cancelled: 'Cancelled',
};

export function crawlsPage(call: MemberCall, crawls: readonly CrawlView[], cursor: string | undefined): Html {
  const main = html`<h1>Crawls</h1>
    <p class="lead">The crawls of your organization, newest first.</p>
    ${pagedList(call, {
      ...{ path: '/crawls', columns, cursor, filters: [], name: 'crawl' },
      rows: crawls.map((crawl) => cells(call, crawl)),
      none: 'There are no crawls yet. One call has all pages of a site requested.',
    })}`;
  return layout(call, { title: 'Crawls', main });
}

const columns: readonly Column[] = [
  { name: 'State', style: 'badge' },
  { name: 'Site', style: 'main' },
  { name: 'Pages', style: 'number' },
  { name: 'URLs', style: 'number' },
  { name: 'Failed', style: 'number' },
  { name: 'Credits', style: 'number' },
  { name: 'Tags', style: 'text' },
  { name: 'Submitted', style: 'time' },
];

function cells(call: MemberCall, { crawl_id: id, status, counts, url, ...crawl }: CrawlView) {
  return [
    html`<span class="badge ${status === 'completed' ? 'good' : ''}">${crawlStatusNames[status]}</span>`,
    html`<a href="${call.at(`/crawls/${id}`)}">${shownUrl(url)}</a>`,
    count(counts.page),
    count(counts.discovered),
    count(counts.failed),
    count(crawl.credits_used),
    (crawl.tags ?? []).join(' · '),
    moment(crawl.created_at),
  ];
}
