import type { Job } from '../../contract/jobs/job.ts';
import { isVisible } from '../../domain/jobs/state.ts';
import { idOrNil } from '../../domain/id-or-nil.ts';
import { AppError } from '../../errors.ts';
import { currentJob } from './current-jobs.ts';

type Needs = Parameters<typeof currentJob>[0];

/** A malformed, unknown, expired or foreign id throws the same `not_found` after the same single read. */
export async function findJob(fx: Needs, orgId: string, id: string): Promise<Job> {
  const stored = await fx.jobs.find(idOrNil(id));
  const isOwn = stored?.orgId === orgId && isVisible(stored, fx.now());
  const job = isOwn ? await currentJob(fx, stored) : undefined;
  if (!job) throw new AppError('not_found', { message: 'There is no such job.' });
  return job;
}
