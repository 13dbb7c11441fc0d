import { AppError } from '../../errors.ts';
import { inTurn } from '../../time/in-turn.ts';
import { decoders } from './decoders.ts';
import { type Decoded, TOO_LARGE } from './run-decoder.ts';

/** Decoding takes three times the page's memory, and a worker runs ten jobs. */
const oneAtATime = inTurn();

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
