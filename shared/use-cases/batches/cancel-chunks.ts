import type { Batch } from '../../contract/batches/batch.ts';
import { chunkIdOf } from '../../domain/batches/chunk-id.ts';
import { forEachConcurrently } from '../../time/for-each-concurrently.ts';
import { type ChunkNeeds, failChunk } from './settle-chunk.ts';

const CONCURRENCY = 20;
/** Read at once: a chunk is about a kilobyte. */
const PAGE = 500;

/** Fails the lines of a cancelled batch that have not begun, and returns how many chunks had such lines. */
export async function cancelChunks(fx: ChunkNeeds, batch: Batch, signal: AbortSignal): Promise<number> {
  const { chunks = 0 } = batch.upload;
  const progress = await fx.chunks.progress(batch.id, chunks);
  const done = new Set(progress.filter(({ isDone }) => isDone).map(({ index }) => index));
  const left = Array.from({ length: chunks }, (_, index) => index).filter((index) => !done.has(index));
  let count = 0;
  for (let start = 0; start < left.length && !signal.aborted; start += PAGE) {
    const page = left.slice(start, start + PAGE).map((index) => chunkIdOf(batch.id, index));
    const waiting = (await fx.chunks.findAll(page)).filter(({ status }) => status === 'waiting');
    await forEachConcurrently(CONCURRENCY, waiting, async (chunk) => {
      if (signal.aborted) return;
      await failChunk(fx, batch, chunk, 'cancelled');
      count++;
    });
  }
  return count;
}
