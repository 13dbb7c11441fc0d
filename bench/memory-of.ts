import { readFile } from 'node:fs/promises';

const PAGE_BYTES = 4_096;
const MB = 1_000_000;

/** The resident memory of the largest of these processes, in megabytes. Linux only. */
export async function largestMemory(pids: readonly number[] = []): Promise<number> {
  const sizes = await Promise.all(
    pids.map(async (pid) => {
      const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
      return (Number(statm.split(' ')[1] ?? 0) * PAGE_BYTES) / MB;
    }),
  );
  return Math.round(Math.max(0, ...sizes));
}
