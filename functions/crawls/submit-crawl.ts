import type { BatchItem } from '../../shared/contract/batches/batch-request.ts';
import type { Crawl } from '../../shared/contract/crawls/crawl.ts';
import type { RetryInclude } from '../../shared/contract/crawls/crawl-request.ts';
import { assertCap, assertTotal, costs } from '../../shared/domain/accounts/credits/charge.ts';
import { assertFormats } from '../../shared/domain/accounts/key-restrictions.ts';
import { newCrawl } from '../../shared/domain/crawls/crawl-state.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { claimKey } from '../../shared/http/idempotency.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { invalidField } from '../../shared/request/fault.ts';
import { idOrNil } from '../../shared/domain/id-or-nil.ts';
import type { WantedCrawl } from '../../shared/request/parse-crawl-request.ts';
import type { TargetPolicy } from '../../shared/request/parse-scrape-request.ts';
import { visibleCrawl } from '../../shared/use-cases/crawls/find-crawl.ts';
import { assertEndpoint } from '../../shared/use-cases/webhooks/assert-endpoint.ts';
import type { SubmittedCrawl } from './crawl-replies.ts';

export type SubmitNeeds = Pick<Effects, 'crawls' | 'jobs' | 'queue' | 'webhooks' | 'now' | 'newId'>;

export type CrawlPolicy = TargetPolicy & { mayIgnoreRobots: boolean };

/** What a repeat must send again, and of a retry whose URLs it requests. */
export type Submit = {
  key: string | undefined;
  body: unknown;
  retry?: { retryOf: string; retryInclude: RetryInclude };
};

/**
 * Stores a crawl, which runs from then on: if its message is lost, the sweeper sends another. Throws
 * `insufficient_credits`, `cost_cap_exceeded`, `idempotency_key_reused` and `idempotency_in_flight` before
 * any write.
 */
export async function submitCrawl(
  fx: SubmitNeeds,
  { request, item, tags, webhook, compatHook }: WantedCrawl & Pick<Crawl, 'compatHook'>,
  { key, body, retry }: Submit,
  call: AuthenticatedCall,
): Promise<SubmittedCrawl> {
  const { session, requestId, requestLog, meter } = call;
  const { organization, keyId, restrictions } = session;
  assertFormats(restrictions, item);
  const credits = priceOf(item, request.maxCredits);
  const assertNew = async () => {
    await assertEndpoint(fx, organization.id, webhook);
    await assertEarlier(fx, organization.id, request.changedSince);
  };
  const find = (id: string) => visibleCrawl(fx, id);
  const { id, made } = await claimKey(fx, { key, body, credits, assertNew }, call, find);
  if (made) return { crawl: made, isReplayed: true };
  meter.assertCredits(credits);
  requestLog.note({ crawlId: id });
  requestLog.enter('store');
  const by = { id, orgId: organization.id, keyId, requestId, tags, webhook, compatHook };
  const crawl = await stored(fx, newCrawl({ ...by, ...retry, request }, fx.now()));
  // Without the message, the sweeper has it planned within minutes.
  await fx.queue.planCrawl(crawl).catch((error: unknown) => requestLog.fail(error));
  return { crawl, isReplayed: false };
}

/** The least that one page costs. Throws `cost_cap_exceeded` if that is more than its caller wants. */
function priceOf(item: BatchItem, maxCredits: number | undefined): number {
  assertCap(item, 'request.max_credits');
  const least = costs(item).at(-1) ?? 0;
  assertTotal(least, maxCredits, { what: 'crawl', param: 'max_credits' });
  return least;
}

async function stored({ crawls }: SubmitNeeds, crawl: Crawl): Promise<Crawl> {
  if (await crawls.create(crawl)) return crawl;
  // The write may have succeeded although its response said otherwise.
  const found = await crawls.find(crawl.id);
  if (found?.requestId === crawl.requestId) return found;
  throw new AppError('idempotency_in_flight', { retryAfter: 1 });
}

/** Throws `invalid_request` unless an earlier crawl is the organization's own and has ended. */
async function assertEarlier(fx: SubmitNeeds, orgId: string, id: string | undefined): Promise<void> {
  if (id === undefined) return;
  const earlier = await visibleCrawl(fx, idOrNil(id));
  if (earlier?.orgId === orgId && earlier.completedAt !== undefined) return;
  throw invalidField(
    'changed_since',
    "Invalid value for 'changed_since': expected the crawl_id of a crawl of this organization that has ended.",
  );
}
