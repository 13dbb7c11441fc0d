import { type Contender, getWhole } from './contender.ts';
import type { BenchPage } from './pages/pages.ts';
import { calm, cpuMs } from './processes.ts';

/** Rounds until the code is compiled. */
const WARM_UP = 300;

/**
 * Milliseconds of each run. Tasks take turns, so that other load affects all alike. What `before` does is not
 * measured, nor what the `end` of a task's result does.
 */
export async function interleaved(
  tasks: (() => Promise<unknown>)[],
  rounds: number,
  warmUp = WARM_UP,
  before?: () => Promise<void>,
): Promise<number[][]> {
  const times = tasks.map((): number[] => []);
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const [index, task] of tasks.entries()) {
      await before?.();
      const startedAt = performance.now();
      const result = (await task()) as { end?: () => Promise<void> } | undefined;
      if (round >= 0) times[index]?.push(performance.now() - startedAt);
      await result?.end?.();
    }
  }
  return times;
}

export const median = (times: readonly number[]): number => percentile(times, 0.5);

export function percentile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Number((sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? NaN).toFixed(3));
}

export type Load = { pages: number; ms: number; cpuMs: number; times: number[] };

/** Pages at once under load. */
export const CONCURRENCY = 4;

/** Throughput at four pages at once, for `ms` and `pages` at least. CPU time includes later work. */
export async function load(
  contender: Contender,
  page: BenchPage,
  ms: number,
  without: readonly number[],
  pages = 0,
): Promise<Load> {
  await calm(without);
  const cpuBefore = await cpuMs(without);
  const startedAt = performance.now();
  const times: number[] = [];
  const client = async () => {
    while (performance.now() - startedAt < ms || times.length < pages) {
      const askedAt = performance.now();
      const { end } = await getWhole(contender, page);
      times.push(performance.now() - askedAt);
      await end?.();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, client));
  const took = performance.now() - startedAt;
  await calm(without);
  return { pages: times.length, ms: took, cpuMs: (await cpuMs(without)) - cpuBefore, times };
}
