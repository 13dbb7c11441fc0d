import type { Crawl } from '../../shared/contract/crawls/crawl.ts';
import { CrawlResultsQuery, CrawlUrlsQuery } from '../../shared/contract/crawls/crawl-view.ts';
import { cursorOf, readCursor } from '../../shared/domain/cursor.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { nextLink } from '../../shared/http/next-link.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import { LINES, wantsJson } from '../../shared/http/results-type.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import { crawlResults, type CrawlResultNeeds } from '../../shared/use-cases/crawls/crawl-results.ts';
import { type CrawlPartNeeds, listCrawlParts } from '../../shared/use-cases/crawls/list-crawl-parts.ts';
import { readLedger } from '../../shared/use-cases/crawls/read-ledger.ts';
import { type ManifestNeeds, readManifest } from '../../shared/use-cases/crawls/read-manifest.ts';

const TYPE = `${LINES}; charset=utf-8`;

/** URLs of a crawl that have an outcome, and a link to the next ones until the crawl has ended. */
export async function urlsReply(fx: ManifestNeeds, crawl: Crawl, call: AuthenticatedCall): Promise<Reply> {
  const { cursor, outcome } = readQuery(call, CrawlUrlsQuery);
  const manifest = await readManifest(fx, crawl);
  const ledger = manifest?.ledger ?? [];
  const total = ledger.reduce((sum, { lines }) => sum + lines, 0);
  const from = cursor === undefined ? 0 : Number(readCursor(cursor, (text) => isPlace(text, total)));
  const { lines, next, isLast } = await readLedger(fx, { ledger }, { from, outcome });
  const isWhole = isLast && crawl.completedAt !== undefined;
  const link = isWhole ? {} : { Link: nextLink(call, cursorOf(String(next))) };
  return { status: 200, headers: { 'Content-Type': TYPE, ...link }, body: lines };
}

/** Lines before the next page, of so many that there are. */
const isPlace = (text: string, total: number) => /^\d{1,9}$/.test(text) && Number(text) <= total;

type ResultNeeds = CrawlResultNeeds & CrawlPartNeeds & ManifestNeeds;

/** Results as lines, or links to the parts that hold them. */
export async function resultsReply(fx: ResultNeeds, crawl: Crawl, call: AuthenticatedCall): Promise<Reply> {
  const query = readQuery(call, CrawlResultsQuery);
  const { waves = [] } = (await readManifest(fx, crawl)) ?? {};
  const linkTo = (next: string | undefined) => (next === undefined ? {} : { Link: nextLink(call, next) });
  if (wantsJson(call)) {
    const parts = await listCrawlParts(fx, crawl, waves, query.cursor);
    return json(200, parts, { Vary: 'Accept', ...linkTo(parts.next_cursor) });
  }
  const { lines, next } = await crawlResults(fx, crawl, waves, query);
  const headers = { 'Content-Type': TYPE, Vary: 'Accept', ...linkTo(next) };
  return { status: 200, headers, body: lines };
}
