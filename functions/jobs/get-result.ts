import type { Readable } from 'node:stream';
import type { CompletedJob, Job } from '../../shared/contract/job.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import type { Effects } from '../../shared/ports.ts';

/** Seconds after which it is worth asking for an unfinished job again. */
export const POLL_SECONDS = 5;

/** The completed job, counted as a read. Throws `job_not_finished` too early, and the job's own error if it failed. */
export async function getResult(job: Job, { meter }: AuthenticatedCall): Promise<CompletedJob> {
  const fields = { status: job.status };
  if (job.status === 'failed')
    throw new AppError(job.errorCode, { message: job.error, fields, isOfJob: true });
  if (job.status !== 'completed')
    throw new AppError('job_not_finished', { retryAfter: POLL_SECONDS, fields });
  await meter.admit({ bucket: 'read', credits: 0 });
  return job;
}

/** The bytes that were stored for a completed job. Throws `not_found` if they are gone. */
export async function openResult(
  { results }: Pick<Effects, 'results'>,
  job: CompletedJob,
): Promise<Readable> {
  const body = await results.open(job.resultKey);
  if (body === undefined) throw new AppError('not_found', { message: 'There is no such job.' });
  return body;
}
