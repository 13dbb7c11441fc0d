import { type Contender, getWhole } from './contender.ts';
import { interleaved, load, median, percentile } from './measure.ts';
import type { BenchPage } from './pages/pages.ts';
import { calm } from './processes.ts';

export type Row = {
  page: string;
  name: string;
  p50_ms: number;
  p95_ms: number;
  /** This p50 divided by the reference contender's. */
  ratio: number;
  pages_per_second?: number;
  cpu_ms_per_page?: number;
  p50_ms_at_4?: number;
};

export type Comparison = {
  contenders: readonly Contender[];
  /** The reference contender. */
  against: Contender;
  page: BenchPage;
  rounds: number;
  warmUp: number;
  /** Processes to leave out of CPU time. */
  without: readonly number[];
  /** Whether each waits until the machine is idle, as some close and launch browsers after a response. */
  isCalmed: boolean;
  /** How long and how often each works with four pages at once. */
  loadMs?: number | undefined;
  loadTurns?: number;
};

/** Measures one page, one at a time and optionally four at once. */
export async function compare(comparison: Comparison): Promise<Row[]> {
  const { contenders, against, page, rounds, warmUp, without } = comparison;
  const tasks = contenders.map((contender) => () => getWhole(contender, page));
  const before = comparison.isCalmed ? () => calm(without) : undefined;
  const times = await interleaved(tasks, rounds, warmUp, before);
  const reference = median(times[contenders.indexOf(against)] ?? []);
  const loads = await loadsOf(comparison);
  return contenders.map(({ name }, index): Row => {
    const own = times[index] ?? [];
    return {
      page: page.path,
      name,
      p50_ms: rounded(median(own)),
      p95_ms: rounded(percentile(own, 0.95)),
      ratio: rounded(median(own) / reference),
      ...loads[index],
    };
  });
}

async function loadsOf(comparison: Comparison) {
  const { contenders, page, loadMs, loadTurns = 1, without } = comparison;
  if (loadMs === undefined) return [];
  const runs = contenders.map((): Awaited<ReturnType<typeof load>>[] => []);
  for (let turn = 0; turn < loadTurns; turn += 1) {
    for (const [index, contender] of contenders.entries()) {
      runs[index]?.push(await load(contender, page, loadMs, without));
    }
  }
  return runs.map((of) => {
    const [pages, ms, cpu] = [total(of, 'pages'), total(of, 'ms'), total(of, 'cpuMs')];
    return {
      pages_per_second: rounded((pages / ms) * 1_000),
      cpu_ms_per_page: rounded(cpu / pages),
      p50_ms_at_4: rounded(median(of.flatMap(({ times }) => times))),
    };
  });
}

function total<K extends string>(of: readonly Record<K, number>[], key: K): number {
  return of.reduce((sum, each) => sum + each[key], 0);
}

export const rounded = (value: number): number => Number(value.toPrecision(3));
