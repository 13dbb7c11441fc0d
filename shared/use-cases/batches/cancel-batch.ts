import type { Batch } from '../../contract/batches/batch.ts';
import type { OpenJob } from '../../contract/jobs/job.ts';
import { jobIdsOf } from '../../domain/batches/job-id.ts';
import { fail, isFinished } from '../../domain/jobs/state.ts';
import { later } from '../../domain/jobs/timing.ts';
import { ended, isUpload } from '../../domain/batches/upload-state.ts';
import { AppError } from '../../errors.ts';
import { atOnce } from '../../time/at-once.ts';
import { cancelChunksOf } from './cancel-chunks.ts';
import { seeSlots } from '../jobs/current-jobs.ts';
import { findBatch } from './find-batch.ts';
import { finishJob, type FinishNeeds } from '../jobs/finish-job.ts';
import { type ChunkNeeds, closeUpload } from './settle-chunk.ts';

type CancelNeeds = FinishNeeds & ChunkNeeds;

const AT_ONCE = 20;
/** A caller waits for no more. */
const CANCEL_MS = 1_000;
/** How often the sweeper looks for jobs of a cancelled batch that wait. */
export const CANCEL_AGAIN_MS = 60_000;

/**
 * Keeps the jobs of a batch from beginning, and cancels waiting ones; jobs in progress may end. What
 * is left after a moment is the sweeper's. Throws `not_found`, and `batch_finished` if every job has ended.
 */
export async function cancelBatch(fx: CancelNeeds, orgId: string, id: string): Promise<Batch> {
  const batch = await findBatch(fx, orgId, id);
  const now = fx.now();
  if (isUpload(batch) && batch.state !== 'accepted' && !batch.cancelledAt) {
    const cancelled = ended(batch, now);
    // It was started or accepted since it was read.
    if (!(await fx.batches.advance(cancelled, batch.state))) return cancelBatch(fx, orgId, id);
    await closeUpload(fx, cancelled);
    return findBatch(fx, orgId, id);
  }
  const cancelled = await fx.batches.cancel(batch, now, later(now, CANCEL_AGAIN_MS));
  if (cancelled) await cancelRest(fx, cancelled, AbortSignal.timeout(CANCEL_MS));
  else if (!batch.cancelledAt) throw new AppError('batch_finished');
  return findBatch(fx, orgId, id);
}

/** Cancels what waits in a cancelled batch, and returns how many jobs or chunks that were. */
export function cancelRest(fx: CancelNeeds, batch: Batch, signal: AbortSignal): Promise<number> {
  return isUpload(batch) ? cancelChunksOf(fx, batch, signal) : cancelJobsOf(fx, batch, signal);
}

/** Waits for its first attempt or the next one. */
const isIdle = (job: OpenJob) =>
  job.status === 'pending' || job.nextAttemptAt !== undefined || job.isWaiting === true;

async function cancelJobsOf(fx: FinishNeeds, batch: Batch, signal: AbortSignal): Promise<number> {
  const { completed, failed } = await fx.batches.progress(batch);
  const left = jobIdsOf(batch).filter((_, index) => !completed.has(index) && !failed.has(index));
  const current = await seeSlots(fx, batch.orgId);
  const jobs = (await fx.jobs.findAll(left)).map(current);
  const waiting = jobs.filter((job) => !isFinished(job)).filter(isIdle);
  let count = 0;
  await atOnce(AT_ONCE, waiting, async (job) => {
    if (signal.aborted) return;
    // A worker may have changed it since it was read.
    const outcome = await finishJob(fx, job, fail(job, new AppError('cancelled'), fx.now()));
    if (outcome !== 'lost') count++;
  });
  return count;
}
