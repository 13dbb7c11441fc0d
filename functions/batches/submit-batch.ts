import type { Batch } from '../../shared/contract/batches/batch.ts';
import type { BatchItem } from '../../shared/contract/batches/batch-request.ts';
import { assertFormats } from '../../shared/domain/accounts/key-restrictions.ts';
import { jobOf, newBatch } from '../../shared/domain/batches/state.ts';
import { assertCap, assertTotal, cost } from '../../shared/domain/accounts/credits/charge.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { claimKey } from '../../shared/http/idempotency.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import type { WantedBatch } from '../../shared/request/parse-batch-request.ts';
import { assertEndpoint } from '../../shared/use-cases/webhooks/assert-endpoint.ts';
import { visibleBatch } from '../../shared/use-cases/batches/find-batch.ts';
import { wakeWorkers } from '../../shared/use-cases/jobs/wake-workers.ts';
import { atOnce } from '../../shared/time/at-once.ts';

type Needs = Pick<Effects, 'accounts' | 'batches' | 'jobs' | 'queue' | 'webhooks' | 'now' | 'newId'>;
export type SubmittedBatch = { batch: Batch; isReplayed: boolean };

/** Writes at the same time. */
const AT_ONCE = 50;

/**
 * Creates the jobs of a batch, then accepts the batch: no job runs before all exist, and after a crash the
 * sweeper deletes them again unless the caller repeats the request. Throws `insufficient_credits`,
 * `cost_cap_exceeded`, `idempotency_key_reused` and `idempotency_in_flight` before any write.
 */
export async function submitBatch(
  fx: Needs,
  wanted: WantedBatch,
  /** `body` is what a repeat with the same Idempotency-Key must send again. */
  { key, body = wanted }: { key: string | undefined; body?: unknown },
  call: AuthenticatedCall,
): Promise<SubmittedBatch> {
  const { items, tags, completeWithin, maxCredits, webhook } = wanted;
  const { session, requestId, requestLog } = call;
  for (const item of items) assertFormats(session.restrictions, item);
  const credits = priceOf(items, maxCredits);
  const assertNew = () => assertEndpoint(fx, session.organization.id, webhook);
  const find = (id: string) => visibleBatch(fx, id);
  const { id, made } = await claimKey(fx, { key, body, credits, assertNew }, call, find);
  if (made) return { batch: made, isReplayed: true };
  call.meter.assertCredits(credits);
  requestLog.note({ batchId: id });
  requestLog.enter('store');
  const { organization, keyId } = session;
  const batch = newBatch(
    { id, orgId: organization.id, keyId, requestId, total: items.length, tags, completeWithin, webhook },
    fx.now(),
  );
  await prepare(fx, batch, items);
  await fx.accounts.noteBacklog(organization, fx.now());
  if (!(await fx.batches.accept(batch))) throw inFlight();
  const wake = async () => {
    const usage = call.meter.usage() ?? (await fx.accounts.usage(organization, fx.now()));
    return wakeWorkers(fx, organization, usage, batch.total);
  };
  // If this fails, the sweeper does it within a minute.
  await wake().catch((error: unknown) => requestLog.fail(error));
  return { batch, isReplayed: false };
}

/** The sweeper deletes what an earlier request with this key has left. */
const inFlight = () => new AppError('idempotency_in_flight', { retryAfter: 60 });

/** A repeat after a crash finds the batch, and some of its jobs. */
async function prepare({ batches, jobs }: Needs, batch: Batch, items: readonly BatchItem[]): Promise<void> {
  const isNew = await batches.create(batch);
  const stored = isNew ? batch : await batches.find(batch.id);
  if (stored?.state !== 'preparing') throw inFlight();
  await atOnce(AT_ONCE, items.entries(), async ([index, item]) => jobs.create(jobOf(stored, item, index)));
}

/** What all of it could cost. Throws `cost_cap_exceeded` if that is more than its caller wants. */
function priceOf(items: readonly BatchItem[], maxCredits: number | undefined): number {
  for (const [index, item] of items.entries()) assertCap(item, `requests[${index}].max_credits`);
  const credits = items.reduce((sum, item) => sum + cost(item), 0);
  assertTotal(credits, maxCredits);
  return credits;
}
