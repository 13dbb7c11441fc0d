import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { linesOfChunk } from '../../../shared/domain/batches/chunk-size.ts';
import { newChunk } from '../../../shared/domain/batches/chunk-state.ts';
import type { Line } from '../../../shared/domain/batches/split-lines.ts';
import type { UploadBatch } from '../../../shared/domain/batches/upload-state.ts';

export type Progress = NonNullable<UploadBatch['upload']['read']>;

/** Cuts lines, in their order, into chunks: as many to each as `chunkLines` or as in a large upload. */
export function cutChunks(batch: UploadBatch, progress: Progress, chunkLines: number | undefined) {
  let open: Omit<Parameters<typeof newChunk>[1], 'index'> | undefined;
  let cut: Chunk[] = [];
  const close = () => {
    if (open) cut.push(newChunk(batch, { ...open, index: progress.chunk++ }));
    open = undefined;
  };
  return {
    /** Returns the number of chunks to take. */
    add: ({ line, at, bytes }: Line): number => {
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
