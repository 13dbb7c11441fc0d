import type { CompletedJob, Job } from '../../shared/contract/jobs/job.ts';
import type { ResultQuery } from '../../shared/contract/scrape/slice.ts';
import { pageHead } from '../../shared/domain/jobs/view.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { assertPreconditions, type ByteRange, isNotModified, rangeOf } from '../../shared/http/conditions.ts';
import { prefersGzip } from '../../shared/http/content-encoding.ts';
import { prefers } from '../../shared/http/prefer.ts';
import { takeReaderPlace } from '../../shared/http/reader-place.ts';
import { readResult } from '../../shared/http/read-result.ts';
import { pageReply, type Reply } from '../../shared/http/reply.ts';
import { UNHELD_BYTES } from '../../shared/http/send.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { getSlice, sliceOfResult } from './get-slice.ts';
import { completed, contentHeaders, openResult } from './stored-result.ts';

const REDIRECT = 'respond-redirect';

export type ResultNeeds = Pick<Effects, 'results' | 'now'>;

/** The part and encoding of a page to send, and the response without its body. */
type Selected = { job: CompletedJob; isGzip: boolean; range: ByteRange | undefined; page: Reply };

/**
 * Returns a completed job's page, a part of its text, a range, a redirect to it or "not modified". Throws
 * `invalid_request`, `job_not_finished`, the failed job's own error, `precondition_failed`,
 * `range_not_satisfiable` and `too_many_concurrent`.
 */
export async function getResult(
  fx: ResultNeeds,
  job: Job,
  query: ResultQuery,
  call: AuthenticatedCall,
): Promise<Reply> {
  const slice = sliceOfResult(job, query);
  const done = completed(job, fx.now());
  if (slice) return getSlice(fx, done, slice, call);
  const selected = select(done, call);
  const { page } = selected;
  if (page.status === 304) return page;
  if (prefers(call.headers, REDIRECT) && isAsStored(selected)) return redirect(fx, selected);
  const { isGzip, range } = selected;
  // Of a range, the checksum covers the whole page.
  const bytes = range ? selected.job.bytes : Number(page.headers['Content-Length']);
  if (bytes > UNHELD_BYTES) await takeReaderPlace(call);
  const body = readResult(await openResult(fx, selected.job), selected.job, { isGzip, range });
  return { ...page, body };
}

export async function headResult(
  fx: ResultNeeds,
  job: Job,
  query: ResultQuery,
  call: AuthenticatedCall,
): Promise<Reply> {
  const slice = sliceOfResult(job, query);
  const done = completed(job, fx.now());
  return slice ? getSlice(fx, done, slice, call) : select(done, call).page;
}

function select(done: CompletedJob, { headers }: AuthenticatedCall): Selected {
  const isGzip = isSentAsGzip(done, headers);
  const validators = validatorsOf(done, isGzip);
  assertPreconditions(headers, validators);
  const about = { ...validators, 'Accept-Ranges': 'bytes', ...(done.gzip && { Vary: 'Accept-Encoding' }) };
  if (isNotModified(headers, validators)) {
    const page = { status: 304, headers: about, body: '' };
    return { job: done, isGzip, range: undefined, page };
  }
  const range = rangeOf(headers, validators, done.bytes);
  const whole = pageReply(pageHead(done), '');
  const page = {
    ...whole,
    status: range ? 206 : 200,
    headers: { ...whole.headers, ...about, ...contentHeaders(done, isGzip, range) },
  };
  return { job: done, isGzip, range, page };
}

/** A range counts the bytes of the page itself: callers cannot decode a part of a gzip file. */
function isSentAsGzip({ gzip }: CompletedJob, headers: AuthenticatedCall['headers']): boolean {
  return gzip !== undefined && headers.range === undefined && prefersGzip(headers['accept-encoding']);
}

/** Each encoding has a tag of its own: https://www.rfc-editor.org/rfc/rfc9110#section-8.8.3.3 */
function validatorsOf({ sha256, completedAt }: CompletedJob, isGzip: boolean) {
  return { ETag: `"${sha256}${isGzip ? '-gzip' : ''}"`, 'Last-Modified': completedAt.toUTCString() };
}

/** True if the stored bytes can be sent unchanged. A preference may be ignored: RFC 7240 section 2. */
function isAsStored({ job, isGzip }: Selected): boolean {
  return isGzip === (job.gzip !== undefined);
}

/** The store sends the bytes, so that no function waits for the reader; the 303 has the target's headers. */
async function redirect(
  { results }: Pick<ResultNeeds, 'results'>,
  { job, isGzip, page }: Selected,
): Promise<Reply> {
  const { 'Content-Type': contentType = '', ...headers } = page.headers;
  const target = Object.entries(headers).filter(([name]) => /^(x-|vary)/i.test(name));
  const location = await results.link(job.resultKey, {
    contentType,
    contentEncoding: isGzip ? 'gzip' : undefined,
  });
  const about = { Location: location, 'Preference-Applied': REDIRECT };
  return { status: 303, headers: { ...Object.fromEntries(target), ...about }, body: '' };
}
