/** The most lines of an upload. */
export const MAX_LINES = 1_000_000;

/**
 * How many lines the chunk with this index has. Small uploads spread over many slots, and a million lines fit
 * into the 4,096 chunks that ids have room for. It depends on nothing else, so that a read that is repeated
 * makes the same chunks.
 */
export function linesOfChunk(index: number): number {
  if (index < 1_000) return 25;
  return index < 2_000 ? 100 : 420;
}
