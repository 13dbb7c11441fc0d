import type { Batch } from '../../contract/batches/batch.ts';
import type { Chunk } from '../../contract/batches/chunk.ts';
import { chunkIdOf } from '../../domain/batches/chunk-id.ts';
import { type Part, partsOf } from '../../domain/batches/chunk-state.ts';
import {
  ALL_PARTS,
  type PartsRead,
  readPartsCursor,
  writtenParts,
} from '../../domain/batches/parts-cursor.ts';
import { chunkNotRun } from '../../domain/batches/state.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import type { ChunkProgress } from '../../ports/batches.ts';

export type PartsNeeds = Pick<Effects, 'chunks'>;

const UNKNOWN_CURSOR = {
  message: "Invalid value for 'cursor': expected the cursor of a line of this batch.",
  fields: { param: 'cursor' },
};

/** Chunks that are read for one response. */
const MAX_CHUNKS = 100;

export type ChunkPart = Part & { chunk: Chunk };

export type PartsAfter = {
  parts: ChunkPart[];
  /** What the cursor covers. */
  read: PartsRead;
  /** Where the next page begins after these parts; undefined if they are the last. */
  next: string | undefined;
};

/**
 * Parts of a batch's results that a cursor does not cover, as long as `mayTake` allows one more. Throws
 * `invalid_request` for a cursor of another batch.
 */
export async function partsAfter(
  { chunks }: PartsNeeds,
  batch: Batch,
  cursor: string | undefined,
  mayTake: (taken: readonly Part[]) => boolean,
): Promise<PartsAfter> {
  const notRun = chunkNotRun(batch);
  const count = notRun ? 1 : (batch.upload.chunks ?? 0);
  const read = cursor === undefined ? { parts: new Map<number, number>() } : readPartsCursor(cursor, count);
  if (read === undefined) throw new AppError('invalid_request', UNKNOWN_CURSOR);
  const progress: Pick<ChunkProgress, 'index' | 'parts'>[] = notRun
    ? [{ index: notRun.index, parts: partsOf(notRun).length }]
    : await chunks.progress(batch.id, count);
  const fresh = progress.filter(({ index, parts }) => parts > (read.parts.get(index) ?? 0));
  // A cursor has room for one part that was read in part, so that one comes first.
  const order = fresh.sort((a, b) => rank(a.index, read) - rank(b.index, read)).slice(0, MAX_CHUNKS);
  const stored = notRun
    ? [notRun]
    : await chunks.findAll(order.map(({ index }) => chunkIdOf(batch.id, index)));
  const byIndex = new Map(stored.map((chunk) => [chunk.index, chunk]));
  const left = order.flatMap(({ index }) => {
    const chunk = byIndex.get(index);
    return chunk
      ? partsOf(chunk)
          .slice(read.parts.get(index) ?? 0)
          .map((part) => ({ chunk, ...part }))
      : [];
  });
  const parts: ChunkPart[] = [];
  for (const part of left) if (mayTake(parts)) parts.push(part);
  const isLast =
    batch.completedAt !== undefined && parts.length === left.length && order.length === fresh.length;
  return { parts, read, next: isLast ? undefined : writtenParts(withParts(read.parts, parts)) };
}

/** The number of parts read of each chunk, including these parts. */
export function withParts(
  read: ReadonlyMap<number, number>,
  parts: readonly ChunkPart[],
): Map<number, number> {
  const after = new Map(read);
  for (const { chunk } of parts) {
    const count = (after.get(chunk.index) ?? 0) + 1;
    const isWhole = chunk.status === 'closed' && count === partsOf(chunk).length;
    after.set(chunk.index, isWhole ? ALL_PARTS : count);
  }
  return after;
}

function rank(index: number, { within }: PartsRead): number {
  return index === within?.index ? -1 : index;
}
