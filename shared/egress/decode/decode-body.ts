import { createBrotliDecompress, createInflate, createInflateRaw } from 'node:zlib';
import { AppError } from '../../errors.ts';
import { mutex } from '../../time/mutex.ts';
import { type Decoded, TOO_LARGE, runDecoder } from './run-decoder.ts';
import { gunzipMembers, zstdFrames } from './decode-members.ts';

/** Decoding takes three times the page's memory, and a worker runs ten jobs. */
const oneAtATime = mutex();

/**
 * Throws `response_too_large` beyond `limit` bytes of a stage, `bad_upstream_response` for corrupt bytes and
 * for a body cut off before its first one, and the signal's reason, also while it waits for its turn.
 */
export async function decodeBody(
  body: Uint8Array,
  encodings: readonly string[],
  limit: number,
  signal: AbortSignal,
): Promise<Decoded> {
  const chain = encodings.toReversed().map((encoding) => decoders.get(encoding));
  let whole: Decoded = { body, isTruncated: false };
  if (body.length === 0 || !chain.every((decoder) => decoder !== undefined)) return whole;
  return oneAtATime(async () => {
    for (const decode of chain) {
      const stage = await decode(whole.body, limit).catch(translate);
      whole = { body: stage.body, isTruncated: whole.isTruncated || stage.isTruncated };
    }
    if (whole.isTruncated && whole.body.length === 0) throw new AppError('bad_upstream_response');
    return whole;
  }, signal);
}

function translate(cause: unknown): never {
  const isTooLarge = cause instanceof Error && 'code' in cause && cause.code === TOO_LARGE;
  throw new AppError(isTooLarge ? 'response_too_large' : 'bad_upstream_response', { cause });
}

type Decoder = (body: Uint8Array, limit: number) => Promise<Decoded>;

/** A map, because an encoding may be named `constructor`. */
const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzipMembers],
  ['x-gzip', gunzipMembers],
  ['br', (body, limit) => runDecoder(createBrotliDecompress(), body, limit)],
  ['zstd', zstdFrames],
  // Some servers omit the zlib wrapper, and browsers accept both: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2
  ['deflate', (body, limit) => (isWrapped(body) ? inflateWrapped : inflateBare)(body, limit)],
]);

const inflateBare: Decoder = (body, limit) => runDecoder(createInflateRaw(), body, limit);

/** Node drops the last bytes if the checksum is wrong, so the body is then decoded without it. */
async function inflateWrapped(body: Uint8Array, limit: number): Promise<Decoded> {
  return runDecoder(createInflate(), body, limit).catch(async (fault: unknown) => {
    if (!(fault instanceof Error) || fault.message !== OTHER_CHECKSUM) throw fault;
    const decoded = await inflateBare(body.subarray(WRAPPER_BYTES), limit);
    return { ...decoded, isTruncated: true };
  });
}

const OTHER_CHECKSUM = 'incorrect data check';
const WRAPPER_BYTES = 2;

/** Method 8 and a valid check of the first two bytes: https://www.rfc-editor.org/rfc/rfc1950#section-2.2 */
const isWrapped = ([method = 0, flags = 0]: Uint8Array) =>
  (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
