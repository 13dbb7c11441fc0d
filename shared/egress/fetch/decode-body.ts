import { AppError } from '../../errors.ts';
import { inTurn } from '../../time/in-turn.ts';
import { decoders } from './decoders.ts';

/** Decoding takes three times the page's memory, and a worker runs ten jobs. */
const oneAtATime = inTurn();

/**
 * Throws `response_too_large` beyond `limit` bytes of a stage, `bad_upstream_response` for corrupt bytes, and
 * the signal's reason, also while it waits for its turn.
 */
export async function decodeBody(
  body: Uint8Array,
  encodings: readonly string[],
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const chain = encodings.toReversed().map((encoding) => decoders.get(encoding));
  if (body.length === 0 || !chain.every((decoder) => decoder !== undefined)) return body;
  return oneAtATime(async () => {
    let decoded = body;
    for (const decode of chain) decoded = await decode(decoded, { maxOutputLength: limit }).catch(translate);
    return decoded;
  }, signal);
}

function translate(cause: unknown): never {
  const isTooLarge = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE';
  throw new AppError(isTooLarge ? 'response_too_large' : 'bad_upstream_response', { cause });
}
