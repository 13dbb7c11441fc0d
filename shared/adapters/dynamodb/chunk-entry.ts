import { z } from 'zod';
import type { Chunk } from '../../contract/chunk.ts';
import { linesLeft, partsOf } from '../../domain/upload/chunk-state.ts';
import type { ChunkProgress } from '../../upload-ports.ts';

/** The version first, then what `progressIn` reads. */
const Entry = z.tuple([z.int(), z.int(), z.int(), z.int(), z.int(), z.int(), z.int()]);
type Entry = z.infer<typeof Entry>;

/** How far a chunk is, as it is stored beside others. */
export function chunkEntry(chunk: Chunk): Entry {
  const { version, completed, failed, invalid, credits } = chunk;
  return [
    version,
    completed,
    failed,
    invalid,
    credits,
    partsOf(chunk).length,
    linesLeft(chunk) === 0 ? 1 : 0,
  ];
}

/** How far the chunks are whose entries an item has as `k<index>`. */
export function progressIn(item: Record<string, unknown>): ChunkProgress[] {
  return Object.entries(item).flatMap(([name, value]) => {
    const [, index] = /^k(\d+)$/.exec(name) ?? [];
    if (index === undefined) return [];
    const [, completed, failed, invalid, credits, parts, done] = Entry.parse(value);
    return [{ index: Number(index), completed, failed, invalid, credits, parts, isDone: done === 1 }];
  });
}
