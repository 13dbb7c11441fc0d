import { type Crawl, CrawlId } from '../../contract/crawls/crawl.ts';
import type { CrawlsQuery } from '../../contract/crawls/crawl-view.ts';
import { cursorOf, readCursor } from '../../domain/cursor.ts';
import type { Effects } from '../../ports/effects.ts';

type Needs = { crawls: Pick<Effects['crawls'], 'list'> } & Pick<Effects, 'now'>;

/** Newest first, each on exactly one page. Throws `invalid_request` for an unknown cursor. */
export async function listCrawls(
  { crawls, now }: Needs,
  orgId: string,
  { limit, cursor }: CrawlsQuery,
): Promise<{ crawls: Crawl[]; nextCursor?: string }> {
  const before =
    cursor === undefined ? undefined : readCursor(cursor, (text) => CrawlId.safeParse(text).success);
  const page = await crawls.list(orgId, { before, limit });
  return {
    crawls: page.crawls.filter((crawl) => crawl.expiresAt > now()),
    ...(page.next !== undefined && { nextCursor: cursorOf(page.next) }),
  };
}
