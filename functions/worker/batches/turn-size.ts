import type { Usage } from '../../../shared/contract/accounts/account.ts';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { USUAL_LINES } from '../../../shared/domain/batches/chunk-state.ts';
import { MAX_CHUNK_LINES } from '../../../shared/domain/crawls/wave.ts';
import { MINUTE_MS, SECOND_MS } from '../../../shared/time/units.ts';

/** What a turn runs at most. `ms`, `bytes`: no line begins later, or with more bytes of pages in memory. */
export type TurnSize = { lines: number; ms: number; bytes: number };

const USUAL: TurnSize = { lines: USUAL_LINES, ms: 30 * SECOND_MS, bytes: 4_000_000 };
/** A turn makes the same writes for one URL as for all URLs of a chunk. */
const OF_CRAWL: TurnSize = { lines: MAX_CHUNK_LINES, ms: MINUTE_MS, bytes: 16_000_000 };

/** The next turn of a chunk: a short one if a worker has died over it. */
export function turnOf({ crawl, careful, wary = 0 }: Pick<Chunk, 'crawl' | 'careful' | 'wary'>): TurnSize {
  if (careful > 0) return { ...USUAL, lines: 1 };
  return crawl && wary === 0 ? OF_CRAWL : USUAL;
}

/** All turns of an organization together hold half of its credits, so that its other scrapes have some. */
const SHARE = 0.5;

/** How many lines of this price a turn runs, so that it does not hold too many credits. */
export function affordableLines({ credits }: Usage, price: number, concurrency: number): number {
  const most = (SHARE * credits.available) / concurrency / Math.max(1, price);
  return Math.max(USUAL.lines, Math.floor(most));
}
