import { promisify } from 'node:util';
import { brotliDecompress, inflate, inflateRaw } from 'node:zlib';
import { AppError } from '../../errors.ts';
import { inTurn } from '../../time/in-turn.ts';
import { gunzipMembers, zstdFrames } from './decode-members.ts';

/** Decoding takes three times the page's memory, and a worker runs ten jobs. */
const oneAtATime = inTurn();

type Decoder = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

/** More nested encodings than this are an attack. */
const MAX_STAGES = 5;

const inflateWrapped: Decoder = promisify(inflate);
const inflateBare: Decoder = promisify(inflateRaw);

/** A map, because an encoding may be named `constructor`. */
const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzipMembers],
  ['x-gzip', gunzipMembers],
  ['br', promisify(brotliDecompress)],
  ['zstd', zstdFrames],
  // Some servers omit the zlib wrapper, and browsers accept both: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2
  ['deflate', (body, options) => (isWrapped(body) ? inflateWrapped : inflateBare)(body, options)],
]);

/** Method 8 and a valid check of the first two bytes: https://www.rfc-editor.org/rfc/rfc1950#section-2.2 */
const isWrapped = ([method = 0, flags = 0]: Uint8Array) =>
  (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;

/** Throws `bad_upstream_response` for too many. */
export function encodingsOf(contentEncoding: string): string[] {
  const stages = contentEncoding
    .toLowerCase()
    .split(',')
    .map((stage) => stage.trim());
  const encodings = stages.filter((stage) => stage !== '' && stage !== 'identity');
  if (encodings.length > MAX_STAGES) throw new AppError('bad_upstream_response');
  return encodings;
}

/**
 * An unknown encoding leaves the body unchanged. Throws `response_too_large` when a stage exceeds `limit`
 * bytes, `bad_upstream_response` for corrupt bytes.
 */
export async function decodeBody(body: Uint8Array, encodings: string[], limit: number): Promise<Uint8Array> {
  const chain = encodings.toReversed().map((encoding) => decoders.get(encoding));
  if (body.length === 0 || !chain.every((decoder) => decoder !== undefined)) return body;
  return oneAtATime(async () => {
    let decoded = body;
    for (const decode of chain) decoded = await decode(decoded, { maxOutputLength: limit }).catch(translate);
    return decoded;
  });
}

function translate(cause: unknown): never {
  const isTooLarge = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
  throw new AppError(isTooLarge ? 'response_too_large' : 'bad_upstream_response', { cause });
}
