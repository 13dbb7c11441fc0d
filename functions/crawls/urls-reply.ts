import type { Crawl } from '../../shared/contract/crawls/crawl.ts';
import { CrawlUrlsQuery } from '../../shared/contract/crawls/crawl-view.ts';
import { cursorOf, readCursor } from '../../shared/domain/cursor.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { nextLink } from '../../shared/http/next-link.ts';
import type { Reply } from '../../shared/http/reply.ts';
import { readQuery } from '../../shared/request/read-query.ts';
import { readLedger } from '../../shared/use-cases/crawls/read-ledger.ts';
import { type ManifestNeeds, readManifest } from '../../shared/use-cases/crawls/read-manifest.ts';

const TYPE = 'application/x-ndjson; charset=utf-8';

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
