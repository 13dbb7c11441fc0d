import type { FailedJob } from '../../contract/jobs/job.ts';
import { fail, isFinished } from '../../domain/jobs/state.ts';
import { AppError } from '../../errors.ts';
import { findJob } from './find-job.ts';
import { finishJob, type FinishNeeds } from './finish-job.ts';

/** Free of charge; its worker notices within a second. Throws `not_found` and `job_finished`. */
export async function cancelJob(fx: FinishNeeds, orgId: string, id: string): Promise<FailedJob> {
  for (;;) {
    const job = await findJob(fx, orgId, id);
    if (isFinished(job)) throw new AppError('job_finished', { fields: { status: job.status } });
    const cancelled = fail(job, new AppError('cancelled'), fx.now());
    // A worker may have changed the job since it was read.
    if ((await finishJob(fx, job, cancelled)) !== 'lost') return cancelled;
  }
}
