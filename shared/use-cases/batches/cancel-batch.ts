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
  const batch = await findBatch(fx, orgId, id);
  const now = fx.now();
  if (batch.state !== 'accepted' && !batch.cancelledAt) {
    const cancelled = ended(batch, now);
    // It was started or accepted since it was read.
    if (!(await fx.batches.advance(cancelled, batch.state))) return cancelBatch(fx, orgId, id);
    await closeBatch(fx, cancelled);
    return findBatch(fx, orgId, id);
  }
  const cancelled = await fx.batches.cancel(batch, now, addMs(now, CANCEL_AGAIN_MS));
  if (cancelled) await cancelChunks(fx, cancelled, AbortSignal.timeout(CANCEL_MS));
  else if (!batch.cancelledAt) throw new AppError('batch_finished');
  return findBatch(fx, orgId, id);
}
