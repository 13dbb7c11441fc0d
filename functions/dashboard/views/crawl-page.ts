import type { CrawlState } from '../../../shared/contract/crawls/crawl-view.ts';
import type { Folders } from '../folders.ts';
import type { MemberCall } from '../page-call.ts';
import { askButton } from './ask-page.ts';
import { count, counted, share } from './count.ts';
import { crawlHosts } from './crawl-hosts.ts';
import { crawlLedger, type ShownLedger } from './crawl-ledger.ts';
import { crawlPicture } from './crawl-picture.ts';
import { stopReasons } from './crawl-words.ts';
import { crawlStatusNames } from './crawls-page.ts';
import { html, type Html } from '../html.ts';
import { layout } from './layout.ts';
import { moment } from './moment.ts';
import { type Row, rows } from './rows.ts';
import { table } from './table.ts';

type Shown = { crawl: CrawlState; ledger: ShownLedger; folders: Folders };

export function crawlPage(call: MemberCall, { crawl, ledger, folders }: Shown): Html {
  const path = `/crawls/${crawl.crawl_id}`;
  return page(
    call,
    html`${card(call, path, crawl)} ${crawlHosts(crawl.hosts)} ${tree(folders)}
    ${crawlLedger(call, path, ledger)}`,
  );
}

export function missingCrawlPage(call: MemberCall): Html {
  return page(call, html`<p class="fault" role="alert">There is no such crawl.</p>`);
}

function page(call: MemberCall, content: Html): Html {
  const main = html`<h1>Crawl</h1>
    ${content}
    <p><a href="${call.at('/crawls')}">All crawls</a></p>`;
  return layout(call, { title: 'Crawl', main });
}

function card(call: MemberCall, path: string, crawl: CrawlState): Html {
  const { crawl_id: id, status, counts, completed_at: completedAt, cancelled_at: cancelledAt } = crawl;
  const ended = counts.discovered - counts.pending - counts.running;
  const progress =
    counts.discovered === 0
      ? 'no URL has been found yet'
      : `${share(ended, counts.discovered)} of ${counted(counts.discovered, 'URL')}`;
  const why = crawl.stop_reason && `, because ${stopReasons[crawl.stop_reason]}`;
  return html`<section class="card" aria-labelledby="crawl">
    <h2 id="crawl">${crawl.url}</h2>
    <p class="state ${status === 'completed' ? 'done' : ''}">
      ${crawlStatusNames[status]}${why}: ${progress}.
    </p>
    ${counts.discovered > 0 && crawlPicture(call, path, counts)} ${rows('rows', facts(crawl))}
    ${completedAt === undefined && html`<p class="buttons"><a class="button" href="${call.at(path)}">Show its state now</a></p>`}
    ${counts.page > 0 && byApi('The API returns its pages', crawl.results_url)}
    ${completedAt !== undefined && isRetriable(crawl) && byApi('The API crawls again what failed', `${crawl.status_url}/retry_failed`, ' --request POST')}
    ${
      completedAt === undefined &&
      cancelledAt === undefined &&
      askButton(call, '/cancel-crawl', { id }, 'Cancel the crawl')
    }
  </section>`;
}

const isRetriable = ({ counts: { failed, cancelled, deadline, budget } }: CrawlState) =>
  failed + cancelled + deadline + budget > 0;

/** Calls need a key, for its routes and limits. */
function byApi(what: string, url: string, options = ''): Html {
  return html`<p>${what}:</p>
    <pre class="code">curl "${url}"${options} --header "Authorization: Bearer $SITEFETCH_KEY"</pre>`;
}

function facts(crawl: CrawlState): Row[] {
  const { credits_used: credits, tags = [], retry_of: retryOf, cancelled_at: cancelledAt } = crawl;
  const left = crawl.not_included ?? [];
  return [
    ['Crawl', html`<code>${crawl.crawl_id}</code>`],
    ['Credits', counted(credits, 'credit')],
    ...(tags.length > 0 ? [['Tags', tags.join(' · ')] as const] : []),
    ...(retryOf === undefined ? [] : [['Retries', html`<code>${retryOf}</code>`] as const]),
    ...(left.length > 0 ? [['Not included', `${left.join(' ')} (requested all the same)`] as const] : []),
    ['Submitted', moment(crawl.created_at)],
    ...(cancelledAt === undefined ? [] : [['Cancelled', moment(cancelledAt)] as const]),
    crawl.completed_at === undefined
      ? ['Ended by', moment(crawl.deadline_at)]
      : ['Finished', moment(crawl.completed_at)],
    ['Kept until', moment(crawl.expires_at)],
  ];
}

function tree({ folders, urls, isWhole, others }: Folders): Html | false {
  if (folders.length === 0) return false;
  return html`<section class="card" aria-labelledby="folders">
    <h2 id="folders">The site by folder</h2>
    ${!isWhole && html`<p>Of the first ${counted(urls, 'URL')}.</p>`}
    ${table({
      caption: 'URLs by folder',
      head: ['Folder', 'Pages', 'Other outcomes', 'URLs'],
      rows: folders.map((it) => [it.name, count(it.pages), count(it.urls - it.pages), count(it.urls)]),
    })}
    ${others > 0 && html`<p>${counted(others, 'folder')} with fewer URLs are not shown.</p>`}
  </section>`;
}
