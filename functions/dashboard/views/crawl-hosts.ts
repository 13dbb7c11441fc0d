import type { CrawlHost } from '../../../shared/contract/crawls/manifest.ts';
import { count, counted } from './count.ts';
import { robotsNames } from './crawl-words.ts';
import { html, type Html } from '../html.ts';
import { moment } from './moment.ts';
import { type Row, rows } from './rows.ts';

const [MAX_HOSTS, MAX_SITEMAPS] = [20, 10];

/** The hosts of a crawl: what their robots.txt says, their sitemaps, and whether they wait. */
export function crawlHosts(hosts: readonly CrawlHost[]): Html | false {
  if (hosts.length === 0) return false;
  const further = hosts.length - MAX_HOSTS;
  return html`<section class="card" aria-labelledby="hosts">
    <h2 id="hosts">Hosts</h2>
    ${hosts.slice(0, MAX_HOSTS).map(
      (host) =>
        html`<h3>${host.host}</h3>
          ${rows('rows', facts(host))}`,
    )}
    ${further > 0 && html`<p>The API returns ${counted(further, 'further host')}.</p>`}
  </section>`;
}

function facts(host: CrawlHost): Row[] {
  const { crawl_delay: delay, paused_until: pausedUntil, content_usage: usage, sitemaps } = host;
  const status = host.robots_status === undefined ? '' : ` (${host.robots_status})`;
  const capped = host.crawl_delay_capped ? ', kept to 30 seconds' : '';
  const shown = sitemaps.slice(0, MAX_SITEMAPS);
  return [
    ['robots.txt', robotsNames[host.robots] + status],
    ...(delay === undefined ? [] : [['Crawl-delay', `${counted(delay, 'second')}${capped}`] as const]),
    ...(usage === undefined ? [] : [['Content usage', html`<code>${usage}</code>`] as const]),
    ...(pausedUntil === undefined ? [] : [['Paused until', moment(pausedUntil)] as const]),
    ...shown.map((it): Row => ['Sitemap', html`<code>${it.url}</code> ${readAs(it)}`]),
    ...(sitemaps.length > shown.length
      ? [['Further sitemaps', count(sitemaps.length - shown.length)] as const]
      : []),
  ];
}

function readAs({ status, urls, error }: CrawlHost['sitemaps'][number]): string {
  const parts = [urls === undefined ? status : counted(urls, 'URL'), error];
  return parts.filter((part) => part !== undefined).join(', ');
}
