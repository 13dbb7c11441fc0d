import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import { AppError } from '../errors.ts';
import { inTurn } from '../in-turn.ts';

/** Each takes three times the memory of its page while it lasts, and a worker has ten at once. */
const oneAtATime = inTurn();

type Decoder = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

/** More than five encodings around each other are an attack and no page. */
const MAX_STAGES = 5;

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  // RFC 9110 §8.4.1.2: some servers leave out the zlib wrapper, and every browser puts up with it.
  deflate: (body, options) => promisify(isZlib(body) ? inflate : inflateRaw)(body, options),
};

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

/** RFC 1950 §2.2: compression method 8, and the first two bytes are a multiple of 31. */
function isZlib([first = 0, second = 0]: Uint8Array): boolean {
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}
