import type { Batch } from '../../shared/contract/batches/batch.ts';
import { MAX_UPLOAD_BYTES } from '../../shared/contract/batches/batch-request.ts';
import { started } from '../../shared/domain/batches/state.ts';
import { AppError } from '../../shared/errors.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { findBatch } from '../../shared/use-cases/batches/find-batch.ts';

type Needs = Pick<Effects, 'batches' | 'uploads' | 'queue' | 'now'>;

/**
 * Begins a batch with what was uploaded. A batch that has begun does not change. Throws `not_found`,
 * `upload_missing`, `upload_too_large`, and `batch_finished` if it was cancelled.
 */
export async function startUpload(fx: Needs, orgId: string, id: string): Promise<Batch> {
  const batch = await findBatch(fx, orgId, id);
  if (batch.cancelledAt) throw new AppError('batch_finished', { message: 'The batch was cancelled.' });
  if (batch.state !== 'waiting_for_upload') return batch;
  const upload = await fx.uploads.find(batch.upload.key);
  if (upload === undefined || upload.bytes === 0) throw new AppError('upload_missing');
  if (upload.bytes > MAX_UPLOAD_BYTES) {
    await fx.uploads.remove(batch.upload.key);
    throw new AppError('upload_too_large');
  }
  await begin(fx, started(batch, upload.version, fx.now()));
  return findBatch(fx, orgId, id);
}

/** Without the message, the sweeper has it read within minutes. */
export async function begin(fx: Pick<Needs, 'batches' | 'queue'>, batch: Batch): Promise<void> {
  if (await fx.batches.advance(batch, 'waiting_for_upload')) await fx.queue.readUpload(batch);
}
