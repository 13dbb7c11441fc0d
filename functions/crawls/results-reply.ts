import type { Crawl } from '../../shared/contract/crawls/crawl.ts';
import { CrawlResultsQuery } from '../../shared/contract/crawls/crawl-view.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { nextLink } from '../../shared/http/next-link.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import { LINES, wantsJson } from '../../shared/http/results-type.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import { type CrawlPartNeeds, listCrawlParts } from '../../shared/use-cases/crawls/list-crawl-parts.ts';
import { crawlResults, type CrawlResultNeeds } from '../../shared/use-cases/crawls/crawl-results.ts';
import { type ManifestNeeds, readManifest } from '../../shared/use-cases/crawls/read-manifest.ts';

type Needs = CrawlResultNeeds & CrawlPartNeeds & ManifestNeeds;

/** Results as lines, or links to the parts that hold them. */
export async function resultsReply(fx: Needs, crawl: Crawl, call: AuthenticatedCall): Promise<Reply> {
  const query = readQuery(call, CrawlResultsQuery);
  const { waves = [] } = (await readManifest(fx, crawl)) ?? {};
  const linkTo = (next: string | undefined) => (next === undefined ? {} : { Link: nextLink(call, next) });
  if (wantsJson(call)) {
    const parts = await listCrawlParts(fx, crawl, waves, query.cursor);
    return json(200, parts, { Vary: 'Accept', ...linkTo(parts.next_cursor) });
  }
  const { lines, next } = await crawlResults(fx, crawl, waves, query);
  const headers = { 'Content-Type': `${LINES}; charset=utf-8`, Vary: 'Accept', ...linkTo(next) };
  return { status: 200, headers, body: lines };
}
