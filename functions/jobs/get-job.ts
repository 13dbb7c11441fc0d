import { z } from 'zod';
import type { Job } from '../../shared/contract/job.ts';
import { isVisible } from '../../shared/domain/job/state.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import type { Effects } from '../../shared/ports.ts';

/**
 * Returns a job of the caller's organization. A malformed, unknown, expired or foreign id throws the same
 * `not_found` after the same single read.
 */
export async function getJob(
  fx: Pick<Effects, 'jobs' | 'now'>,
  id: string,
  call: AuthenticatedCall,
): Promise<Job> {
  const job = await fx.jobs.find(z.uuid().safeParse(id).success ? id : NOBODYS_ID);
  const isOwn = job?.orgId === call.session.organization.id && isVisible(job, fx.now());
  if (!isOwn) throw new AppError('not_found', { message: 'There is no such job.' });
  return job;
}

/** Looked up for a malformed id, so that it takes as long as any other. */
const NOBODYS_ID = '00000000-0000-7000-8000-000000000000';
