import type { Batch } from '../contract/batch.ts';
import type { OpenJob } from '../contract/job.ts';
import { jobIdsOf } from '../domain/batch/job-id.ts';
import { fail, isFinished } from '../domain/job/state.ts';
import { later } from '../domain/job/timing.ts';
import { AppError } from '../errors.ts';
import { atOnce } from '../time/at-once.ts';
import { findBatch } from './find-batch.ts';
import { finishJob, type FinishNeeds } from './finish-job.ts';

const AT_ONCE = 20;
/** A caller waits for no more. */
const CANCEL_MS = 1_500;
/** How often the sweeper looks for jobs of a cancelled batch that wait. */
export const CANCEL_AGAIN_MS = 60_000;

/**
 * Keeps the jobs of a batch from beginning, and cancels those that wait; jobs in progress may end. What
 * is left after a moment is the sweeper's. Throws `not_found`, and `batch_finished` if every job has ended.
 */
export async function cancelBatch(fx: FinishNeeds, orgId: string, id: string): Promise<Batch> {
  const batch = await findBatch(fx, orgId, id);
  const now = fx.now();
  const cancelled = await fx.batches.cancel(batch, now, later(now, CANCEL_AGAIN_MS));
  if (cancelled) await cancelJobsOf(fx, cancelled, AbortSignal.timeout(CANCEL_MS));
  else if (!batch.cancelledAt) throw new AppError('batch_finished');
  return findBatch(fx, orgId, id);
}

/** Waits for its first attempt or the next one. */
const isIdle = (job: OpenJob) =>
  job.status === 'pending' || job.nextAttemptAt !== undefined || job.isWaiting === true;

/** Cancels the jobs of a batch that wait, and returns how many. */
export async function cancelJobsOf(fx: FinishNeeds, batch: Batch, signal: AbortSignal): Promise<number> {
  const { completed, failed } = await fx.batches.progress(batch);
  const left = jobIdsOf(batch).filter((_, index) => !completed.has(index) && !failed.has(index));
  const jobs = await fx.jobs.findAll(left);
  const waiting = jobs.filter((job) => !isFinished(job)).filter(isIdle);
  let count = 0;
  await atOnce(AT_ONCE, waiting, async (job) => {
    if (signal.aborted) return;
    // A worker may have begun it since it was read.
    const outcome = await finishJob(fx, job, fail(job, new AppError('cancelled'), fx.now()));
    if (outcome !== 'lost') count++;
  });
  return count;
}
