import type { Crawl } from '../../shared/contract/crawls/crawl.ts';
import type { RetryInclude } from '../../shared/contract/crawls/crawl-request.ts';
import { isRetried, RETRIED_OUTCOMES } from '../../shared/domain/crawls/retried.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { pageRequestOf } from '../../shared/request/parse-crawl-request.ts';
import type { TargetPolicy } from '../../shared/request/parse-scrape-request.ts';
import { ledgerLines } from '../../shared/use-cases/crawls/read-ledger.ts';
import { type ManifestNeeds, readManifest } from '../../shared/use-cases/crawls/read-manifest.ts';
import type { SubmittedCrawl } from './crawl-replies.ts';
import { submitCrawl, type SubmitNeeds } from './submit-crawl.ts';

type Retry = { key: string | undefined; include: RetryInclude };

/**
 * Begins a new crawl at URLs of an ended one, with its fields. Throws `crawl_not_finished`,
 * `nothing_to_retry`, and what a submit throws.
 */
export async function retryCrawl(
  fx: SubmitNeeds & ManifestNeeds,
  policy: TargetPolicy,
  failedIn: Crawl,
  { key, include }: Retry,
  call: AuthenticatedCall,
): Promise<SubmittedCrawl> {
  const { id: retryOf, request, tags, webhook, completedAt } = failedIn;
  if (completedAt === undefined) throw new AppError('crawl_not_finished');
  if (!(await hasAny(fx, failedIn, include))) throw new AppError('nothing_to_retry', NOTHING);
  const wanted = { request, item: pageRequestOf(request, policy), tags, webhook };
  const body = { retry_failed: retryOf, include };
  return submitCrawl(fx, wanted, { key, body, retry: { retryOf, retryInclude: include } }, call);
}

const NOTHING = {
  message: 'No URL of this crawl ended in a way that include selects (failed, if it is absent).',
};

async function hasAny(fx: ManifestNeeds, crawl: Crawl, include: RetryInclude): Promise<boolean> {
  if (!RETRIED_OUTCOMES.some((outcome) => crawl.outcomes[outcome])) return false;
  const manifest = await readManifest(fx, crawl);
  if (manifest === undefined) return false;
  for await (const line of ledgerLines(fx, manifest, RETRIED_OUTCOMES))
    if (isRetried(line, include)) return true;
  return false;
}
