import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import type { Batch } from '../../../shared/contract/batches/batch.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { recentReads } from './recent-reads.ts';

/** Invocations choose among this many chunks, many of which may wait for a retry. */
const CHOICE = 50;

/** Chooses among the chunks of an upload. One has more lines than a turn runs, so it may be chosen again. */
export function chooseChunks({ chunks, now }: Pick<Effects, 'chunks' | 'now'>) {
  const waiting = recentReads<Chunk>(now);
  return async (batch: Batch, isBrowserFree: boolean): Promise<Chunk | undefined> => {
    if (!isBrowserFree && batch.upload.defaults['render_js'] === true) return undefined;
    return waiting.take(batch.id, {
      read: async () => chunks.waiting(batch, CHOICE),
      isWanted: ({ notBefore }) => notBefore === undefined || notBefore <= now(),
      most: CHOICE,
    });
  };
}
