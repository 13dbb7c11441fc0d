import { Readable } from 'node:stream';
import { snakeKeys } from '../../shared/contract/case.ts';
import type { CompletedJob, Job } from '../../shared/contract/jobs/job.ts';
import {
  isSliceable,
  type ResultQuery,
  type Slice,
  type SliceRange,
  sliceRangeOf,
} from '../../shared/contract/scrape/slice.ts';
import { pageHead } from '../../shared/domain/jobs/view.ts';
import { gzipped } from '../../shared/gzip.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { assertPreconditions, isNotModified, rangeOf } from '../../shared/http/conditions.ts';
import { prefersGzip } from '../../shared/http/content-encoding.ts';
import { takeReaderPlace } from '../../shared/http/reader-place.ts';
import { readResult } from '../../shared/http/read-result.ts';
import { pageReply, type Reply, sliceHeaders } from '../../shared/http/reply.ts';
import { pieces, UNHELD_BYTES } from '../../shared/http/send.ts';
import { sliceReader } from '../../shared/output/slice.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { invalidField } from '../../shared/request/fault.ts';
import { contentHeaders, openResult } from './stored-result.ts';

type Needs = Pick<Effects, 'results'>;

/**
 * The part of a job's text that the query selects or, without one, the job's own request. Undefined for the
 * whole page. Throws `invalid_request`.
 */
export function sliceOfResult({ request }: Job, query: ResultQuery): SliceRange | undefined {
  const range = sliceRangeOf(query);
  if (range === undefined) return sliceRangeOf(request);
  const [name = ''] = Object.keys(snakeKeys(query));
  if (!isSliceable(request))
    throw invalidField(
      name,
      `Invalid value for '${name}': only allowed for a result in Markdown or text. This one is ${request.format ?? 'html'}.`,
    );
  return range;
}

/** Reads the whole, which the part's length and its place follow from, without keeping it. */
export async function getSlice(
  fx: Needs,
  job: CompletedJob,
  range: SliceRange,
  call: AuthenticatedCall,
): Promise<Reply> {
  const { headers } = call;
  const mayBeGzip = headers.range === undefined && prefersGzip(headers['accept-encoding']);
  const validators = validatorsOf(job, range, mayBeGzip);
  assertPreconditions(headers, validators);
  const about = { ...validators, 'Accept-Ranges': 'bytes', Vary: 'Accept-Encoding' };
  if (isNotModified(headers, validators)) return { status: 304, headers: about, body: '' };
  if (job.bytes > UNHELD_BYTES) await takeReaderPlace(call);
  const { text, ...slice } = await readSlice(fx, job, range);
  const whole = Buffer.from(text);
  const byteRange = rangeOf(headers, validators, whole.byteLength);
  const gzip = mayBeGzip ? await gzipped(whole) : undefined;
  const sent = gzip ?? (byteRange ? whole.subarray(byteRange.start, byteRange.end + 1) : whole);
  const reply = pageReply(pageHead(job), Readable.from(pieces(sent)));
  const lengths = { bytes: whole.byteLength, gzip: gzip && { bytes: gzip.byteLength } };
  const content = contentHeaders(lengths, gzip !== undefined, byteRange);
  return {
    ...reply,
    status: byteRange ? 206 : 200,
    headers: { ...reply.headers, ...about, ...sliceHeaders(slice), ...content },
  };
}

/** Each part has a tag of its own, which is known before the page is read. */
function validatorsOf({ sha256, completedAt }: CompletedJob, range: SliceRange, isGzip: boolean) {
  const { offset, maxChars } = range;
  return {
    ETag: `"${sha256}-${offset}-${maxChars}${isGzip ? '-gzip' : ''}"`,
    'Last-Modified': completedAt.toUTCString(),
  };
}

async function readSlice(fx: Needs, job: CompletedJob, range: SliceRange): Promise<Slice> {
  const reader = sliceReader({ ...range, isMarkdown: job.request.format === 'markdown' });
  const stored = readResult(await openResult(fx, job), job, { isGzip: false, range: undefined });
  for await (const chunk of stored as AsyncIterable<Uint8Array>) reader.read(chunk);
  return reader.end();
}
