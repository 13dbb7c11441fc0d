export type Row = {
  name: string;
  without_p50_ms: number;
  with_p50_ms: number;
  added_ms: number;
  ratio: number;
  /** At most so much may be added. */
  goal_ms: number;
};

/** Until the code is compiled, which takes a few hundred rounds. */
const WARM_UP = 300;

/** Milliseconds of each run of each task. The tasks take turns, so that what the machine does else hits all alike. */
export async function interleaved(tasks: (() => Promise<unknown>)[], rounds: number): Promise<number[][]> {
  const times = tasks.map((): number[] => []);
  for (let round = -WARM_UP; round < rounds; round += 1) {
    for (const [index, task] of tasks.entries()) {
      const startedAt = performance.now();
      await task();
      if (round >= 0) times[index]?.push(performance.now() - startedAt);
    }
  }
  return times;
}

export function median(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b);
  return Number((sorted[Math.floor(sorted.length / 2)] ?? NaN).toFixed(3));
}
