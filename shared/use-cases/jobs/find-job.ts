import type { Job } from '../../contract/jobs/job.ts';
import { isVisible } from '../../domain/jobs/state.ts';
import { idOrNil } from '../../domain/id-or-nil.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';

type Needs = { jobs: Pick<Effects['jobs'], 'find'> } & Pick<Effects, 'now'>;

/** A malformed, unknown, expired or foreign id throws the same `not_found` after the same single read. */
export async function findJob(fx: Needs, orgId: string, id: string): Promise<Job> {
  const job = await fx.jobs.find(idOrNil(id));
  if (job?.orgId !== orgId || !isVisible(job, fx.now()))
    throw new AppError('not_found', { message: 'There is no such job.' });
  return job;
}
