import { browserFunction } from './browser-function.ts';
import { compare, type Row } from './compare.ts';
import type { Contender } from './contender.ts';
import { guardedClient, rawUndici } from './contenders/plain.ts';
import { rawPuppeteer } from './contenders/raw-puppeteer.ts';
import type { LocalService } from './contenders/service.ts';
import { load } from './measure.ts';
import { type BenchPage, PAGES } from './pages/pages.ts';

export type Effort = {
  rounds: number;
  loadMs: number;
  loadTurns: number;
  /** Of all environments, four pages at a time: V8 compiles what has run often. */
  warmUpMs: { plain: number; rendered: number };
  /** On a slow machine they take longer than `warmUpMs`. */
  warmUpPages: number;
  isQuick: boolean;
};

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
  const against = guardedClient(origin);
  const contenders = [rawUndici(origin), against, service.plain];
  const shared = { ...options, contenders, against, isCalmed: false };
  await load(service.plain, PAGES.medium, options.warmUpMs.plain, options.without, options.warmUpPages);
  const rows: Row[] = [];
  for (const page of options.isQuick ? [PAGES.medium] : PLAIN_PAGES) {
    const times = page === PAGES.slow ? rounds : rounds * PLAIN_ROUNDS;
    const atFour = page === PAGES.medium ? {} : { loadMs: undefined };
    rows.push(
      ...(await compare({
        ...shared,
        page,
        rounds: times,
        warmUp: options.isQuick ? 100 : warmUpOf(page, times),
        ...atFour,
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
  };
  for (const cold of [browserAlone, service.rendered])
    await load(cold, PAGES.spa, options.warmUpMs.rendered, options.without);
  const rows: Row[] = [];
  for (const page of options.isQuick ? [PAGES.spa, PAGES.resources] : Object.values(PAGES)) {
    const isGoal = page === PAGES.spa || page === PAGES.resources;
    const rounds = isGoal ? options.rounds : Math.ceil(options.rounds / 3);
    const atFour = page === PAGES.spa ? {} : { loadMs: undefined };
    // The median of three excludes the cold one.
    rows.push(...(await compare({ ...shared, page, rounds, warmUp: isGoal ? 1 : 0, ...atFour })));
  }
  return rows;
}
