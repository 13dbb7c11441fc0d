import type { Batch } from '../../shared/contract/batches/batch.ts';
import type { RetryRequest } from '../../shared/contract/batches/batch-request.ts';
import { started, type Summary } from '../../shared/domain/batches/state.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { summarize } from '../../shared/use-cases/batches/show-batch.ts';
import { begin } from './start-upload.ts';
import type { SubmittedBatch } from './submit-batch.ts';
import { submitUpload, type UploadNeeds } from './submit-upload.ts';

export type RetryNeeds = UploadNeeds & Pick<Effects, 'chunks' | 'queue'>;

/** What a repeat must send again, and how the requests to retry ended. */
export type Retry = { key: string | undefined; body: unknown; include: RetryRequest['include'] };

/**
 * Begins a new batch with requests of a batch that has ended, which a worker copies from it.
 * Throws `batch_not_finished`, `nothing_to_retry`, and what a submit throws.
 */
export async function retryBatch(
  fx: RetryNeeds,
  failedIn: Batch,
  { key, body, include }: Retry,
  call: AuthenticatedCall,
): Promise<SubmittedBatch> {
  const { id: retryOf, tags, upload } = failedIn;
  if (failedIn.completedAt === undefined) throw new AppError('batch_not_finished');
  const total = howMany(await summarize(fx, failedIn), include);
  if (total === 0) throw new AppError('nothing_to_retry');
  const nothing = { completeWithin: undefined, maxCredits: undefined, webhook: undefined };
  const wanted = { ...nothing, tags, total, defaults: upload.defaults, retryOf, retryInclude: include };
  const submitted = await submitUpload(fx, wanted, { key, body }, call);
  const { batch } = submitted;
  // A repeat begins what an earlier call has left.
  if (batch.state === 'waiting_for_upload') await begin(fx, started(batch, undefined, fx.now()));
  const begun = await fx.batches.find(batch.id);
  return { ...submitted, batch: begun ?? batch };
}

/** A completed request that was not charged was a bot wall, or its target's status is not charged. */
function howMany({ failed, completed, charged, verdicts = {} }: Summary, include: Retry['include']): number {
  const { bot_wall: wall = 0 } = verdicts;
  const ends = { failed, wall, target_status: completed - charged - wall };
  return [...new Set(include)].reduce((sum, end) => sum + ends[end], 0);
}
