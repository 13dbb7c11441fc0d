import { started, type UploadBatch } from '../../../shared/domain/upload/upload-state.ts';
import { AppError } from '../../../shared/errors.ts';
import type { AuthenticatedCall } from '../../../shared/http/call.ts';
import type { Effects } from '../../../shared/ports.ts';
import { summarize } from '../../../shared/use-cases/show-batch.ts';
import type { SubmittedBatch } from '../submit-batch.ts';
import { begin } from './start-upload.ts';
import { submitUpload } from './submit-upload.ts';

type Needs = Parameters<typeof submitUpload>[0] & Pick<Effects, 'chunks' | 'queue'>;

/**
 * Begins a new batch with the failed requests of an upload that has ended, which a worker copies from it.
 * Throws `batch_not_finished`, `nothing_to_retry`, and what a submit throws.
 */
export async function retryUpload(
  fx: Needs,
  failedIn: UploadBatch,
  key: string | undefined,
  call: AuthenticatedCall,
): Promise<SubmittedBatch> {
  const { id: retryOf, tags, upload } = failedIn;
  if (failedIn.completedAt === undefined) throw new AppError('batch_not_finished');
  const { failed } = await summarize(fx, failedIn);
  if (failed === 0)
    throw new AppError('nothing_to_retry', { message: 'No request of this batch has failed.' });
  const nothing = { completeWithin: undefined, maxCredits: undefined, webhook: undefined };
  const wanted = { ...nothing, tags, defaults: upload.defaults, retryOf };
  const submitted = await submitUpload(fx, wanted, { key, body: { retry_failed: retryOf } }, call);
  const { batch } = submitted;
  // A repeat begins what an earlier call has left.
  if (batch.state === 'waiting_for_upload') await begin(fx, started(batch, undefined, fx.now()));
  const begun = await fx.batches.find(batch.id);
  return { ...submitted, batch: begun ?? batch };
}
