import type { Row } from './compare.ts';
import { LATE, PAGES } from './pages/pages.ts';

/** The goals of a run; ratios where the machine matters. */
export type Goal = { name: string; value: number } & ({ atMost: number } | { atLeast: number });

type Results = {
  plain: Row[];
  beside_crawlee: { ratio: number };
  rendered: Row[];
  cold_browser: { unpacked_ms: number; inflating_ms: number; most_memory_mb: number };
  cold_scraper: { scraper_ms: number; bare_client_ms: number };
  guard: { added_ms: number };
  settled: { static_load_ms: number; static_settled_ms: number; timer_of_4_s_ms: number };
};

export function goalsOf({ plain, rendered, cold_browser: cold, cold_scraper, ...more }: Results): Goal[] {
  const at = (rows: Row[], page: string, name: string) => {
    const row = rows.find((each) => each.page === page && each.name === name);
    if (!row) throw new Error(`There is no row "${name}" for ${page}.`);
    return row;
  };
  const spa = at(rendered, PAGES.spa.path, 'whole stack, rendered');
  const limit = at(rendered, PAGES.spa.path, 'puppeteer, new context each');
  const forty = at(rendered, PAGES.resources.path, 'whole stack, rendered');
  const medium = at(plain, PAGES.medium.path, 'whole stack, plain');
  const ratio = (key: 'pages_per_second' | 'cpu_ms_per_page') => (spa[key] ?? NaN) / (limit[key] ?? NaN);
  const { static_load_ms, static_settled_ms, timer_of_4_s_ms } = more.settled;
  return [
    atMost(1.15, 'rendered /spa, p50 to that of a raw new context', spa.ratio),
    atMost(1.2, 'rendered /40-resources, p50 to that of a raw new context', forty.ratio),
    {
      name: 'rendered pages a second at 4, to those of raw new contexts',
      value: ratio('pages_per_second'),
      atLeast: 0.7,
    },
    atMost(1.5, 'CPU time of a rendered page, to that of a raw new context', ratio('cpu_ms_per_page')),
    atMost(4, 'plain 100 KB, p50 to that of the client behind the guard', medium.ratio),
    {
      name: 'plain 100 KB, pages a second at 4, to those of Crawlee',
      value: more.beside_crawlee.ratio,
      atLeast: 1,
    },
    atMost(
      0.5,
      'browser environment cold to first page, to the same inflating',
      cold.unpacked_ms / cold.inflating_ms,
    ),
    atMost(
      3.5,
      'scraper environment cold to first page, to a server with the bare client',
      cold_scraper.scraper_ms / cold_scraper.bare_client_ms,
    ),
    atMost(330, 'memory of a browser environment on /spa, MB', cold.most_memory_mb),
    atMost(0.25, 'a page whose content a timer brings, to that timer', timer_of_4_s_ms / LATE.timerMs),
    atMost(30, 'a static page beyond its load event, ms', static_settled_ms - static_load_ms),
    atMost(1, 'what the guard adds to a plain page, ms', more.guard.added_ms),
  ];
}

export const atMost = (limit: number, name: string, value: number): Goal => ({ name, value, atMost: limit });

export function isMet(goal: Goal): boolean {
  return 'atMost' in goal ? goal.value <= goal.atMost : goal.value >= goal.atLeast;
}

export function goalLine(goal: Goal): string {
  const limit = 'atMost' in goal ? `at most ${goal.atMost}` : `at least ${goal.atLeast}`;
  return `${isMet(goal) ? 'met   ' : 'MISSED'}  ${goal.name}: ${goal.value.toFixed(2)}, ${limit}`;
}

/** Prints the goals. The process fails if one is missed. */
export function assertMet(goals: readonly Goal[]): void {
  for (const goal of goals) console.log(goalLine(goal));
  if (!goals.every(isMet)) process.exitCode = 1;
}
