import type { Row } from './compare.ts';
import type { ProcessesRow } from './one-process.ts';
import { LATE, PAGES } from './pages/pages.ts';

/** The goals of a run; ratios where the machine matters. */
export type Goal = { name: string; value: number } & ({ atMost: number } | { atLeast: number });

export type Results = {
  plain: Row[];
  beside_crawlee: { ratio: number };
  rendered: Row[];
  cold_browser: { unpacked_ms: number; inflating_ms: number; most_memory_mb: number };
  cold_scraper: { scraper_ms: number; bare_client_ms: number };
  guard: { added_ms: number; goal_ms: number };
  processes: ProcessesRow[];
  settled: { static_load_ms: number; static_settled_ms: number; timer_of_4_s_ms: number };
};

export function goalsOf({
  plain,
  beside_crawlee,
  rendered,
  cold_browser,
  cold_scraper,
  guard,
  processes,
  settled,
}: Results): Goal[] {
  const at = (rows: Row[], page: string, name: string) => {
    const row = rows.find((each) => each.page === page && each.name === name);
    if (!row) throw new Error(`There is no row "${name}" for ${page}.`);
    return row;
  };
  const spa = at(rendered, PAGES.spa.path, 'whole stack, rendered');
  const limit = at(rendered, PAGES.spa.path, 'puppeteer, new context each');
  const forty = at(rendered, PAGES.resources.path, 'whole stack, rendered');
  const oneToMany = (key: 'spa_ms' | 'memory_mb') => {
    const of = (wanted: string) => processes.find((row) => row.processes === wanted)?.[key] ?? NaN;
    return of('one') / of('many');
  };
  const medium = at(plain, PAGES.medium.path, 'whole stack, plain');
  return [
    { name: 'rendered /spa, p50 to that of a raw new context', value: spa.ratio, atMost: 1.15 },
    { name: 'rendered /40-resources, p50 to that of a raw new context', value: forty.ratio, atMost: 1.2 },
    {
      name: 'rendered pages a second at 4, to those of raw new contexts',
      value: (spa.pages_per_second ?? NaN) / (limit.pages_per_second ?? NaN),
      atLeast: 0.7,
    },
    {
      name: 'CPU time of a rendered page, to that of a raw new context',
      value: (spa.cpu_ms_per_page ?? NaN) / (limit.cpu_ms_per_page ?? NaN),
      atMost: 1.5,
    },
    { name: 'plain 100 KB, p50 to that of the client behind the guard', value: medium.ratio, atMost: 4 },
    {
      name: 'plain 100 KB, pages a second at 4, to those of Crawlee',
      value: beside_crawlee.ratio,
      atLeast: 1,
    },
    {
      name: 'browser environment cold to first page, to the same inflating',
      value: cold_browser.unpacked_ms / cold_browser.inflating_ms,
      atMost: 0.5,
    },
    {
      name: 'scraper environment cold to first page, to a server with the bare client',
      value: cold_scraper.scraper_ms / cold_scraper.bare_client_ms,
      atMost: 3.5,
    },
    { name: 'memory of a browser environment on /spa, MB', value: cold_browser.most_memory_mb, atMost: 330 },
    { name: 'rendered /spa in one process, to several', value: oneToMany('spa_ms'), atMost: 1.1 },
    { name: 'memory in one process, to several', value: oneToMany('memory_mb'), atMost: 1 },
    {
      name: 'a page whose content a timer brings, to that timer',
      value: settled.timer_of_4_s_ms / LATE.timerMs,
      atMost: 0.25,
    },
    {
      name: 'a static page beyond its load event, ms',
      value: settled.static_settled_ms - settled.static_load_ms,
      atMost: 30,
    },
    { name: 'what the guard adds to a plain page, ms', value: guard.added_ms, atMost: guard.goal_ms },
  ];
}

export function isMet(goal: Goal): boolean {
  return 'atMost' in goal ? goal.value <= goal.atMost : goal.value >= goal.atLeast;
}

export function goalLine(goal: Goal): string {
  const limit = 'atMost' in goal ? `at most ${goal.atMost}` : `at least ${goal.atLeast}`;
  return `${isMet(goal) ? 'met   ' : 'MISSED'}  ${goal.name}: ${goal.value.toFixed(2)}, ${limit}`;
}
