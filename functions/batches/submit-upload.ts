import type { Batch } from '../../shared/contract/batches/batch.ts';
import { limitsOf } from '../../shared/domain/accounts/credits/plan.ts';
import { MAX_AWAITED, newBatch } from '../../shared/domain/batches/state.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { claimKey } from '../../shared/http/idempotency.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import type { WantedUpload } from '../../shared/request/parse-batch-request.ts';
import { visibleBatch } from '../../shared/use-cases/batches/find-batch.ts';
import { assertEndpoint } from '../../shared/use-cases/webhooks/assert-endpoint.ts';
import type { SubmittedBatch } from './submit-batch.ts';

export type UploadNeeds = Pick<Effects, 'batches' | 'jobs' | 'webhooks' | 'now' | 'newId'>;
type Wanted = WantedUpload &
  Pick<Batch['upload'], 'retryOf' | 'retryInclude'> &
  Pick<Batch, 'compatHook'> & { total?: number };

/**
 * Makes a batch that waits for its upload, or begins at once with the failed requests of another. Throws
 * `too_many_uploads`, `idempotency_key_reused` and `idempotency_in_flight` before any write.
 */
export async function submitUpload(
  fx: UploadNeeds,
  { tags, webhook, compatHook, total, ...upload }: Wanted,
  { key, body }: { key: string | undefined; body: unknown },
  call: AuthenticatedCall,
): Promise<SubmittedBatch> {
  const { session, requestId, requestLog } = call;
  const { organization, keyId } = session;
  const assertNew = async () => {
    // A retry begins at once.
    if (upload.retryOf === undefined) await assertFewAwaited(fx, organization.id);
    await assertEndpoint(fx, organization.id, webhook);
  };
  const find = (id: string) => visibleBatch(fx, id);
  const { id, made } = await claimKey(fx, { key, body, credits: 0, assertNew }, call, find);
  if (made) return { batch: made, isReplayed: true };
  requestLog.note({ batchId: id });
  requestLog.enter('store');
  const by = { id, orgId: organization.id, keyId, requestId };
  const { concurrency: slots } = limitsOf(organization);
  const batch = newBatch(
    { ...by, tags, webhook, compatHook, ...(total !== undefined && { total }), upload: { ...upload, slots } },
    fx.now(),
  );
  if (!(await fx.batches.create(batch))) throw new AppError('idempotency_in_flight', { retryAfter: 1 });
  return { batch, isReplayed: false };
}

/** Submits at the same moment may exceed it, by no more than the rate limit. */
async function assertFewAwaited({ batches, now }: UploadNeeds, orgId: string): Promise<void> {
  const awaited = await batches.awaited(orgId, now(), MAX_AWAITED);
  if (awaited.length >= MAX_AWAITED) throw new AppError('too_many_uploads');
}
