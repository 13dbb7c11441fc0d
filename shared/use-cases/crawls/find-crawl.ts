import type { Crawl } from '../../contract/crawls/crawl.ts';
import { idOrNil } from '../../domain/id-or-nil.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';

export type FindCrawlNeeds = { crawls: Pick<Effects['crawls'], 'find'> } & Pick<Effects, 'now'>;

/** Returns a crawl of this organization. A malformed, unknown, expired or foreign id throws `not_found`. */
export async function findCrawl(fx: FindCrawlNeeds, orgId: string, id: string): Promise<Crawl> {
  const crawl = await visibleCrawl(fx, idOrNil(id));
  if (crawl?.orgId !== orgId) throw new AppError('not_found', { message: 'There is no such crawl.' });
  return crawl;
}

/** Of any organization; undefined if it is unknown or expired. */
export async function visibleCrawl({ crawls, now }: FindCrawlNeeds, id: string): Promise<Crawl | undefined> {
  const crawl = await crawls.find(id);
  return crawl && crawl.expiresAt > now() ? crawl : undefined;
}
