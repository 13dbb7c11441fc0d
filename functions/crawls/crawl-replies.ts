import { type Crawl, CrawlId } from '../../shared/contract/crawls/crawl.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { replayedHeader } from '../../shared/http/idempotency.ts';
import { json, type Reply } from '../../shared/http/reply.ts';
import { findCrawl, type FindCrawlNeeds } from '../../shared/use-cases/crawls/find-crawl.ts';
import type { ManifestNeeds } from '../../shared/use-cases/crawls/read-manifest.ts';
import { showCrawl, type ShowCrawlNeeds, showSubmitted } from '../../shared/use-cases/crawls/show-crawl.ts';

export type SubmittedCrawl = { crawl: Crawl; isReplayed: boolean };
export type ReplyNeeds = ShowCrawlNeeds & ManifestNeeds;

const PATH = '/api/v1/crawls';
const POLL_SECONDS = '5';

/** A crawl as its caller sees it. */
export async function shown(fx: ReplyNeeds, crawl: Crawl, { session }: AuthenticatedCall): Promise<Reply> {
  const body = await showCrawl(fx, session.organization, crawl);
  return json(200, body, body.completed_at === undefined ? { 'Retry-After': POLL_SECONDS } : {});
}

export async function submitted(
  fx: ReplyNeeds,
  made: SubmittedCrawl,
  { session, mount }: AuthenticatedCall,
): Promise<Reply> {
  const { crawl } = made;
  const headers = { Location: `${mount}${PATH}/${crawl.id}`, 'Retry-After': POLL_SECONDS };
  const body = await showSubmitted(fx, session.organization, crawl);
  return json(202, body, { ...headers, ...replayedHeader(made) });
}

/** The crawl that the path names. Throws `not_found`, also for another organization's crawl. */
export const crawlOf = (fx: FindCrawlNeeds, call: AuthenticatedCall): Promise<Crawl> =>
  findCrawl(fx, call.session.organization.id, crawlId(call));

export function crawlId({ params: { crawl_id: id = '' }, requestLog }: AuthenticatedCall): string {
  if (CrawlId.safeParse(id).success) requestLog.note({ crawlId: id });
  return id;
}
