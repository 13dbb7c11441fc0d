import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { AppError } from '../errors.ts';
import { inTurn } from '../in-turn.ts';

/** Each takes three times the memory of its page while it lasts, and a worker has ten at once. */
const oneAtATime = inTurn();

type Decoder = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

/** More than five encodings around each other are an attack and no page. */
const MAX_STAGES = 5;

const decoders: Readonly<Partial<Record<string, Decoder>>> = {
  // An encoding may be called anything, `constructor` among it.
  __proto__: null as never,
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  // With its zlib wrapper, as RFC 9110 §8.4.1.2 has it: impit, which decodes a plain `deflate`, knows no other either.
  deflate: promisify(inflate),
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
