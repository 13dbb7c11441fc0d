import { statfs } from 'node:fs/promises';

/** How Node.js, LevelDB and SQLite say that nothing can be written. */
const SIGNS = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded|database or disk is full/i;
/** Less is full before the first job has run. */
const LEAST_BYTES = 8 * 2 ** 20;

export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const within = error instanceof AggregateError ? (error.errors as unknown[]) : [error.cause];
  return SIGNS.test(error.message) || within.some(isDiskFull);
}

export function diskFull(folder: string): string {
  return `The disk of ${folder} is full. Nothing that was accepted is lost: free some space, and start again.`;
}

/** Throws before anything is written to a full disk. */
export async function assertSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < LEAST_BYTES) throw new Error(diskFull(folder));
}
