import type { Readable } from 'node:stream';
import type { CompletedJob, Job } from '../../shared/contract/jobs/job.ts';
import { AppError } from '../../shared/errors.ts';
import type { ByteRange } from '../../shared/http/conditions.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { pollSeconds } from './poll-seconds.ts';

/** Throws `job_not_finished` or the failed job's own error. */
export function completed(job: Job, now: Date): CompletedJob {
  if (job.status === 'completed') return job;
  const fields = { status: job.status };
  if (job.status !== 'failed')
    throw new AppError('job_not_finished', { retryAfter: Number(pollSeconds(job, now)), fields });
  const { errorCode, error: message, errorFields, scenario: report } = job;
  throw new AppError(errorCode, { message, fields: { ...errorFields, ...fields }, isOfJob: true, report });
}

type Lengths = { bytes: number; gzip?: { bytes: number } | undefined };

/** The headers of a body's encoding and length. */
export function contentHeaders({ bytes, gzip }: Lengths, isGzip: boolean, range: ByteRange | undefined) {
  if (isGzip) return { 'Content-Encoding': 'gzip', 'Content-Length': String(gzip?.bytes) };
  if (range === undefined) return { 'Content-Length': String(bytes) };
  const { start, end } = range;
  return {
    'Content-Range': `bytes ${start}-${end}/${bytes}`,
    'Content-Length': String(end - start + 1),
  };
}

/** Throws `not_found` if the result is gone. */
export async function openResult(
  { results }: Pick<Effects, 'results'>,
  job: CompletedJob,
): Promise<Readable> {
  const body = await results.open(job.resultKey);
  if (body === undefined) throw new AppError('not_found', { message: 'There is no such job.' });
  return body;
}
