import type { Chunk } from '../../contract/batches/chunk.ts';
import { linesOfChunk } from './chunk-size.ts';
import { type ChunkLines, newChunk } from './chunk-state.ts';
import type { Line } from './split-lines.ts';
import type { Batch } from '../../contract/batches/batch.ts';

export type ReadProgress = NonNullable<Batch['upload']['read']>;

export const START: ReadProgress = { at: 0, line: 1, chunk: 0, requests: 0, credits: 0 };

/** Cuts lines, in their order, into chunks: as many to each as `chunkLines` or as in a large upload. */
export function cutChunks(batch: Batch, progress: ReadProgress, chunkLines: number | undefined) {
  let open: Omit<ChunkLines, 'index'> | undefined;
  let cut: Chunk[] = [];
  const close = () => {
    if (open) cut.push(newChunk(batch, { ...open, index: progress.chunk++ }));
    open = undefined;
  };
  return {
    /** Returns the number of chunks to take. */
    add: ({ line, at, bytes }: Omit<Line, 'content'>): number => {
      open ??= { at, bytes: 0, lines: 0, firstLine: line };
      open.bytes = at + bytes - open.at;
      open.lines += 1;
      [progress.at, progress.line] = [at + bytes, line + 1];
      if (open.lines >= (chunkLines ?? linesOfChunk(progress.chunk))) close();
      return cut.length;
    },
    /** Ends the last chunk, however short. */
    close,
    take: (): Chunk[] => {
      const taken = cut;
      cut = [];
      return taken;
    },
  };
}
