import type { Batch } from '../../shared/contract/batches/batch.ts';
import { jobIdsOf } from '../../shared/domain/batches/job-id.ts';
import { PREPARE_MS } from '../../shared/domain/batches/state.ts';
import { later } from '../../shared/domain/jobs/timing.ts';
import { isUpload, READ_AGAIN_MS } from '../../shared/domain/batches/upload-state.ts';
import { CANCEL_AGAIN_MS, cancelRest } from '../../shared/use-cases/batches/cancel-batch.ts';
import { closeUpload } from '../../shared/use-cases/batches/settle-chunk.ts';
import { atOnce } from '../../shared/time/at-once.ts';
import type { Needs } from './jobs.ts';
import type { Due } from './sweep-due.ts';

const AT_ONCE = 20;

type Steps = Partial<Record<'closed' | 'resent' | 'cancelled' | 'discarded', number>>;

/** Batches that were cancelled, whose reader or submit died, or that nobody has closed. */
export function dueBatches(fx: Needs): Due<Batch, keyof Steps> {
  return {
    name: 'batches',
    list: (limit) => fx.batches.due(fx.now(), limit),
    idOf: ({ id }) => id,
    moveOn: (batch, signal) => moveOn(fx, batch, signal),
    concurrency: 4,
  };
}

async function moveOn(fx: Needs, batch: Batch, signal: AbortSignal): Promise<Steps> {
  if (isUpload(batch) && batch.completedAt) {
    await closeUpload(fx, batch);
    return { closed: 1 };
  }
  if (batch.state === 'preparing') {
    await fx.batches.abandon(batch, later(fx.now(), PREPARE_MS));
    return {};
  }
  if (batch.state === 'reading') {
    await readAgain(fx, batch);
    return { resent: 1 };
  }
  if (batch.state === 'abandoned') return { discarded: await discard(fx, batch) };
  return { cancelled: await cancel(fx, batch, signal) };
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
