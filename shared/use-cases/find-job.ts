import { type Job, JobId } from '../contract/job.ts';
import { isVisible } from '../domain/job/state.ts';
import { AppError } from '../errors.ts';
import type { Effects } from '../ports.ts';

type Needs = { jobs: Pick<Effects['jobs'], 'find'> } & Pick<Effects, 'now'>;

/**
 * Returns a job of this organization. A malformed, unknown, expired or foreign id throws the same
 * `not_found` after the same single read.
 */
export async function findJob(fx: Needs, orgId: string, id: string): Promise<Job> {
  const job = await fx.jobs.find(JobId.safeParse(id).success ? id : NOBODYS_ID);
  const isOwn = job?.orgId === orgId && isVisible(job, fx.now());
  if (!isOwn) throw new AppError('not_found', { message: 'There is no such job.' });
  return job;
}

/** Looked up for a malformed id, so that it takes as long as any other. */
const NOBODYS_ID = '00000000-0000-7000-8000-000000000000';
