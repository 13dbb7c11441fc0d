import { promisify } from 'node:util';
import { brotliDecompress, inflate, inflateRaw } from 'node:zlib';
import { AppError } from '../../errors.ts';
import { inTurn } from '../../time/in-turn.ts';
import { gunzipMembers, zstdFrames } from './decode-members.ts';

/** Each takes three times the memory of its page while it lasts, and a worker has ten at once. */
const oneAtATime = inTurn();

type Decoder = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

/** More than five encodings around each other are an attack and no page. */
const MAX_STAGES = 5;

const inflateWrapped: Decoder = promisify(inflate);
const inflateBare: Decoder = promisify(inflateRaw);

const decoders: Readonly<Partial<Record<string, Decoder>>> = {
  // An encoding may be called anything, `constructor` among it.
  __proto__: null as never,
  gzip: gunzipMembers,
  'x-gzip': gunzipMembers,
  br: promisify(brotliDecompress),
  zstd: zstdFrames,
  // Some servers leave the zlib wrapper out, and browsers take both: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2
  deflate: (body, options) => (isWrapped(body) ? inflateWrapped : inflateBare)(body, options),
};

/** https://www.rfc-editor.org/rfc/rfc1950#section-2.2: method 8, and a check that the first two bytes hold together. */
const isWrapped = ([method = 0, flags = 0]: Uint8Array) =>
  (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;

/** The encodings in the order they were put on. Throws `bad_upstream_response` for too many. */
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
 * Takes the encodings off, the last one first. One that is not known leaves all as it came, as browsers do.
 * Throws `response_too_large` when any stage exceeds `limit` bytes, `bad_upstream_response` for corrupt bytes.
 */
export async function decodeBody(body: Uint8Array, encodings: string[], limit: number): Promise<Uint8Array> {
  const chain = encodings.toReversed().map((encoding) => decoders[encoding]);
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
