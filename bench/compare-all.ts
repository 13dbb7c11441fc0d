import { browserFunction } from './browser-function.ts';
import { compare, type Row } from './compare.ts';
import type { Contender } from './contender.ts';
import { guardedImpit, rawUndici } from './contenders/plain.ts';
import { rawPuppeteer } from './contenders/raw-puppeteer.ts';
import type { LocalService } from './contenders/service.ts';
import { type BenchPage, PAGES } from './pages/pages.ts';

export type Effort = { rounds: number; loadMs: number; loadTurns: number; isQuick: boolean };

const PLAIN_WARM_UP_MS = 6_000;
type Options = Effort & {
  taskRoot: string;
  chromiumDir: string;
  origin: string;
  service: LocalService;
  without: readonly number[];
};

/** Plain pages take milliseconds, so more of them are measured. */
const PLAIN_ROUNDS = 8;

/** The others are empty without scripts. */
const PLAIN_PAGES = [PAGES.small, PAGES.medium, PAGES.large, PAGES.slow];

/** Plain pages; the limit is the functions' own client and guard. */
export async function plainRows({ rounds, origin, service, ...options }: Options): Promise<Row[]> {
  const against = guardedImpit(origin);
  const contenders = [rawUndici(origin), against, service.plain];
  const underLoad = { warmedUp: [service.plain], ms: options.isQuick ? options.loadMs : PLAIN_WARM_UP_MS };
  const shared = { ...options, contenders, against, isCalmed: false, underLoad };
  const rows: Row[] = [];
  for (const page of options.isQuick ? [PAGES.medium] : PLAIN_PAGES) {
    const times = page === PAGES.slow ? rounds : rounds * PLAIN_ROUNDS;
    const load = page === PAGES.medium ? {} : { loadMs: undefined };
    rows.push(
      ...(await compare({
        ...shared,
        page,
        rounds: times,
        warmUp: options.isQuick ? 100 : warmUpOf(page, times),
        ...load,
      })),
    );
  }
  return rows;
}

const warmUpOf = (page: BenchPage, rounds: number) => (page === PAGES.medium ? 300 : Math.ceil(rounds / 10));

/** Rendered pages; the limit is Chromium with a new context for each. */
export async function renderedRows(options: Options): Promise<Row[]> {
  const { taskRoot, chromiumDir, origin, service } = options;
  await using raw = await rawPuppeteer(chromiumDir, origin);
  await using alone = await browserFunction({ taskRoot, chromiumDir, allow: new URL(origin).host });
  const browserAlone: Contender = {
    name: 'browser function alone',
    get: async ({ path }) => ({ body: await alone.render(origin + path) }),
  };
  const { reusedPage, newContext, newBrowser } = raw;
  const contenders = [reusedPage, newContext, newBrowser, browserAlone, service.rendered];
  const shared = {
    ...options,
    contenders,
    against: newContext,
    isCalmed: true,
    underLoad: { warmedUp: [browserAlone, service.rendered], ms: options.loadMs },
  };
  const rows: Row[] = [];
  for (const page of options.isQuick ? [PAGES.spa, PAGES.resources] : Object.values(PAGES)) {
    const isGoal = page === PAGES.spa || page === PAGES.resources;
    const rounds = isGoal ? options.rounds : Math.ceil(options.rounds / 3);
    const load = page === PAGES.spa ? {} : { loadMs: undefined };
    // The median of three excludes the cold one.
    rows.push(...(await compare({ ...shared, page, rounds, warmUp: isGoal ? 1 : 0, ...load })));
  }
  return rows;
}
