import { type Crawl, CrawlId } from '../../shared/contract/crawls/crawl.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { findCrawl, type FindCrawlNeeds } from '../../shared/use-cases/crawls/find-crawl.ts';

/** The crawl that the path names. Throws `not_found`, also for another organization's crawl. */
export const crawlOf = (fx: FindCrawlNeeds, call: AuthenticatedCall): Promise<Crawl> =>
  findCrawl(fx, call.session.organization.id, crawlId(call));

export function crawlId({ params: { crawl_id: id = '' }, requestLog }: AuthenticatedCall): string {
  if (CrawlId.safeParse(id).success) requestLog.note({ crawlId: id });
  return id;
}
