import type { CrawlView } from '../../../shared/contract/crawls/crawl-view.ts';
import type { MemberCall } from '../page-call.ts';
import { count, counted } from './count.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import { moment } from './moment.ts';
import { pagedList, shownUrl } from './paged-list.ts';

export const crawlStatusNames: Readonly<Record<CrawlView['status'], string>> = {
  running: 'Running',
  completed: 'Completed',
  cancelled: 'Cancelled',
};

export function crawlsPage(call: MemberCall, crawls: readonly CrawlView[], cursor: string | undefined): Html {
  const items = crawls.map((crawl) => item(call, crawl));
  const main = html`<h1>Crawls</h1>
    <p class="lead">The crawls of your organization, newest first.</p>
    ${pagedList(call, {
      ...{ path: '/crawls', items, cursor, filters: [], name: 'crawl', style: 'jobs' },
      none: 'There are no crawls yet. One call has all pages of a site requested.',
    })}`;
  return layout(call, { title: 'Crawls', main });
}

function item(call: MemberCall, { crawl_id: id, status, counts, url, ...crawl }: CrawlView): Html {
  const details = [
    `${counted(counts.page, 'page')} of ${counted(counts.discovered, 'URL')}`,
    ...(counts.failed > 0 ? [`${count(counts.failed)} failed`] : []),
    counted(crawl.credits_used, 'credit'),
    ...(crawl.tags ?? []),
  ];
  return html`<li>
    <span class="badge ${status === 'completed' ? 'good' : ''}">${crawlStatusNames[status]}</span>
    <a href="${call.at(`/crawls/${id}`)}">${shownUrl(url)}</a>
    <span class="details">${details.join(' · ')}</span>
    ${moment(crawl.created_at)}
  </li>`;
}
