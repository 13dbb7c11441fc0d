/** The most lines of an upload. */
export const MAX_LINES = 1_000_000;
/** The most lines of a chunk in a small upload. */
const MAX_IN_SMALL = 25;
/** The lines of larger uploads are not counted before they are divided. */
export const SMALL_UPLOAD_BYTES = 2_000_000;

/** Lines of a chunk, so that as many slots as an organization has run a small upload side by side. */
export function linesForSlots(lines: number, slots: number): number {
  return Math.max(1, Math.min(Math.ceil(lines / Math.max(1, slots)), MAX_IN_SMALL));
}

/**
 * How many lines the chunk with this index has in a larger upload. A million lines fit into 4,096 chunks, the
 * most that ids allow. It depends on the index alone, so that repeated reads make the same chunks.
 */
export function linesOfChunk(index: number): number {
  if (index < 1_000) return MAX_IN_SMALL;
  return index < 2_000 ? 100 : 420;
}
