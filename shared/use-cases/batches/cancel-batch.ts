import type { Batch } from '../../contract/batches/batch.ts';
import { ended } from '../../domain/batches/state.ts';
import { AppError } from '../../errors.ts';
import { cancelChunks } from './cancel-chunks.ts';
import { findBatch } from './find-batch.ts';
import { type ChunkNeeds, closeBatch } from './settle-chunk.ts';
import { addMs } from '../../time/units.ts';

/** How long a caller waits for the cancellation of waiting requests. */
const CANCEL_MS = 1_000;
/** How often the sweeper looks for waiting lines of a cancelled batch. */
export const CANCEL_AGAIN_MS = 60_000;

/**
 * Stops the requests of a batch from starting, and cancels waiting requests. Requests in progress may end.
 * The sweeper cancels what is left after a second. Throws `not_found`, and `batch_finished` if every request
 * has ended.
 */
export async function cancelBatch(fx: ChunkNeeds, orgId: string, id: string): Promise<Batch> {
  if (!(await stopBatch(fx, await findBatch(fx, orgId, id)))) throw new AppError('batch_finished');
  return findBatch(fx, orgId, id);
}

/** The same for a batch that was read. False if every request had ended. */
export async function stopBatch(fx: ChunkNeeds, batch: Batch): Promise<boolean> {
  const now = fx.now();
  if (batch.state !== 'accepted' && !batch.cancelledAt) {
    const cancelled = ended(batch, now);
    if (await fx.batches.advance(cancelled, batch.state)) {
      await closeBatch(fx, cancelled);
      return true;
    }
    // It was started or accepted since it was read.
    const latest = await fx.batches.find(batch.id);
    return latest !== undefined && stopBatch(fx, latest);
  }
  const cancelled = await fx.batches.cancel(batch, now, addMs(now, CANCEL_AGAIN_MS));
  if (cancelled) await cancelChunks(fx, cancelled, AbortSignal.timeout(CANCEL_MS));
  return cancelled !== undefined || batch.cancelledAt !== undefined;
}
