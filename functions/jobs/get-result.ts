import type { Readable } from 'node:stream';
import type { CompletedJob, Job } from '../../shared/contract/job.ts';
import { pageHead } from '../../shared/domain/job/state.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { assertWanted, type ByteRange, isKnown, rangeOf } from '../../shared/http/conditions.ts';
import { prefersGzip } from '../../shared/http/content-encoding.ts';
import { pageReply, type Reply } from '../../shared/http/reply.ts';
import type { Effects } from '../../shared/ports.ts';
import { readResult } from './read-result.ts';

/** Seconds after which it is worth asking for an unfinished job again. */
export const POLL_SECONDS = 5;

/**
 * The page of a completed job, counted as a read: all of it, or the part asked for, or word that the caller has it.
 * Throws `job_not_finished` too early, the job's own error if it failed, `precondition_failed` and `range_not_satisfiable`.
 */
export async function getResult(
  fx: Pick<Effects, 'results'>,
  job: Job,
  { headers, meter }: AuthenticatedCall,
): Promise<Reply> {
  const done = completed(job);
  const isGzip = isSentAsGzip(done, headers);
  const validators = validatorsOf(done, isGzip);
  assertWanted(headers, validators);
  const isFresh = isKnown(headers, validators);
  const range = isFresh ? undefined : rangeOf(headers, validators, done.bytes);
  await meter.admit({ bucket: 'read', credits: 0 });
  const about = { ...validators, 'Accept-Ranges': 'bytes', ...(done.gzip && { Vary: 'Accept-Encoding' }) };
  if (isFresh) return { status: 304, headers: about, body: '' };
  const body = readResult(await stored(fx, done), done, { isGzip, range });
  const page = pageReply(pageHead(done), body);
  return {
    ...page,
    status: range ? 206 : 200,
    headers: { ...page.headers, ...about, ...content(done, isGzip, range) },
  };
}

function completed(job: Job): CompletedJob {
  if (job.status === 'completed') return job;
  const fields = { status: job.status };
  if (job.status === 'failed')
    throw new AppError(job.errorCode, { message: job.error, fields, isOfJob: true });
  throw new AppError('job_not_finished', { retryAfter: POLL_SECONDS, fields });
}

/** A range is one of the page itself: half of a gzip file is of use to nobody who did not ask for one. */
function isSentAsGzip({ gzip }: CompletedJob, headers: AuthenticatedCall['headers']): boolean {
  return gzip !== undefined && headers.range === undefined && prefersGzip(headers['accept-encoding']);
}

/** Each encoding has a tag of its own: https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3.3 */
function validatorsOf({ sha256, completedAt }: CompletedJob, isGzip: boolean) {
  return { ETag: `"${sha256}${isGzip ? '-gzip' : ''}"`, 'Last-Modified': completedAt.toUTCString() };
}

function content({ bytes, gzip }: CompletedJob, isGzip: boolean, range: ByteRange | undefined) {
  if (isGzip) return { 'Content-Encoding': 'gzip', 'Content-Length': String(gzip?.bytes) };
  if (range === undefined) return { 'Content-Length': String(bytes) };
  const { start, end } = range;
  return {
    'Content-Range': `bytes ${start}-${end}/${bytes}`,
    'Content-Length': String(end - start + 1),
  };
}

async function stored({ results }: Pick<Effects, 'results'>, job: CompletedJob): Promise<Readable> {
  const body = await results.open(job.resultKey);
  if (body === undefined) throw new AppError('not_found', { message: 'There is no such job.' });
  return body;
}
