import type { Batch } from '../../shared/contract/batches/batch.ts';
import { jobIdsOf } from '../../shared/domain/batches/job-id.ts';
import { PREPARE_MS } from '../../shared/domain/batches/state.ts';
import { later } from '../../shared/domain/jobs/timing.ts';
import { isUpload, READ_AGAIN_MS } from '../../shared/domain/batches/upload-state.ts';
import { CANCEL_AGAIN_MS, cancelRest } from '../../shared/use-cases/batches/cancel-batch.ts';
import { closeUpload } from '../../shared/use-cases/batches/settle-chunk.ts';
import { atOnce } from '../../shared/time/at-once.ts';
import type { Needs } from './sweep.ts';

const PAGE = 20;
const AT_ONCE = 20;

/**
 * Cancels what has not begun in cancelled batches, has uploads read again whose worker died, and deletes
 * batches whose submit died. Throws at the end if a batch could not be swept.
 */
export async function sweepBatches(
  fx: Needs,
  signal: AbortSignal,
): Promise<Record<'cancelled' | 'discarded', number>> {
  const swept = { cancelled: 0, discarded: 0 };
  const faults: unknown[] = [];
  for (const batch of await fx.batches.due(fx.now(), PAGE)) {
    if (signal.aborted) break;
    try {
      if (isUpload(batch) && batch.completedAt) await closeUpload(fx, batch);
      else if (batch.state === 'preparing') await fx.batches.abandon(batch, later(fx.now(), PREPARE_MS));
      else if (batch.state === 'reading') await readAgain(fx, batch);
      else if (batch.state === 'abandoned') swept.discarded += await discard(fx, batch);
      else swept.cancelled += await cancel(fx, batch, signal);
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} batches could not be swept`);
  return swept;
}

/** The worker that read it has died. */
async function readAgain(fx: Needs, batch: Batch): Promise<void> {
  await fx.batches.postpone(batch, later(fx.now(), READ_AGAIN_MS));
  await fx.queue.readUpload(batch);
}

/** A job that ran when its batch was cancelled may wait for a retry by now. */
async function cancel(fx: Needs, batch: Batch, signal: AbortSignal): Promise<number> {
  await fx.batches.cancel(batch, fx.now(), later(fx.now(), CANCEL_AGAIN_MS));
  return cancelRest(fx, batch, signal);
}

/**
 * No worker looks at a batch that was not accepted, so none of its jobs has begun. A submit that was repeated
 * before the batch was abandoned creates none any more.
 */
async function discard(fx: Needs, batch: Batch): Promise<number> {
  const jobs = await fx.jobs.findAll(jobIdsOf(batch));
  await atOnce(AT_ONCE, jobs, async (job) => fx.jobs.remove(job));
  await fx.batches.discard(batch);
  return 1;
}
