import { isFinished } from '../domain/job/state.ts';
import { AppError } from '../errors.ts';
import type { Effects } from '../ports.ts';
import { cancelJob } from './cancel-job.ts';
import { findJob } from './find-job.ts';
import { settleJob } from './finish-job.ts';

type Needs = Parameters<typeof cancelJob>[0] & Pick<Effects, 'results'>;

/** Deletes a job and its result, and cancels it first if it has not ended. Throws `not_found`. */
export async function deleteJob(fx: Needs, orgId: string, id: string): Promise<void> {
  for (;;) {
    const job = await findJob(fx, orgId, id);
    if (!isFinished(job)) await cancelJob(fx, orgId, id).catch(unlessFinished);
    else {
      // What it cost is written before the job is gone.
      await settleJob(fx, job);
      if (job.status === 'completed') await fx.results.remove(job.resultKey);
      if (await fx.jobs.remove(job)) return;
    }
  }
}

function unlessFinished(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'job_finished') throw error;
}
