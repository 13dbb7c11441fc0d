import { fail, isFinished } from '../../domain/jobs/state.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { findJob } from './find-job.ts';
import { finishJob, type FinishNeeds, settleJob } from './finish-job.ts';

type Needs = FinishNeeds & Pick<Effects, 'results'>;

/** Deletes a job and its result, and cancels it first if it has not ended. Throws `not_found`. */
export async function deleteJob(fx: Needs, orgId: string, id: string): Promise<void> {
  for (;;) {
    const job = await findJob(fx, orgId, id);
    if (!isFinished(job)) {
      await finishJob(fx, job, fail(job, new AppError('cancelled'), fx.now()));
      continue;
    }
    // What it cost is written before the job is gone.
    await settleJob(fx, job);
    if (job.status === 'completed') await fx.results.remove(job.resultKey);
    if (await fx.jobs.remove(job)) return;
  }
}
