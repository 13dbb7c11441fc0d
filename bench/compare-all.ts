import { compare, type Row } from './compare.ts';
import { guardedClient } from './contenders/plain.ts';
import { rawPuppeteer } from './contenders/raw-puppeteer.ts';
import type { LocalService } from './contenders/service.ts';
import { load } from './measure.ts';
import { PAGES } from './pages/pages.ts';

type Options = {
  rounds: number;
  loadMs: number;
  loadTurns: number;
  /** Of all environments, four pages at a time: V8 compiles what has run often. */
  warmUpMs: { plain: number; rendered: number };
  /** On a slow machine they take longer than `warmUpMs`. */
  warmUpPages: number;
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
export async function plainRows({ origin, service, ...options }: Options): Promise<Row[]> {
  const against = guardedClient(origin);
  const shared = { ...options, contenders: [against, service.plain], against, isCalmed: false };
  await load(service.plain, PAGES.medium, options.warmUpMs.plain, options.without, options.warmUpPages);
  const rows: Row[] = [];
  for (const page of PLAIN_PAGES) {
    const isGoal = page === PAGES.medium;
    const rounds = options.rounds * (page === PAGES.slow ? 1 : PLAIN_ROUNDS);
    const warmUp = isGoal ? 300 : Math.ceil(rounds / 10);
    const loadMs = isGoal ? options.loadMs : undefined;
    rows.push(...(await compare({ ...shared, page, rounds, warmUp, loadMs })));
  }
  return rows;
}

/** Rendered pages; the limit is Chromium with a new context for each. */
export async function renderedRows({ chromiumDir, origin, service, ...options }: Options) {
  await using raw = await rawPuppeteer(chromiumDir, origin);
  const against = raw.newContext;
  const shared = { ...options, contenders: [against, service.rendered], against, isCalmed: true };
  await load(service.rendered, PAGES.spa, options.warmUpMs.rendered, options.without);
  const rows: Row[] = [];
  for (const page of Object.values(PAGES)) {
    const isGoal = page === PAGES.spa || page === PAGES.resources;
    const rounds = isGoal ? options.rounds : Math.ceil(options.rounds / 3);
    const loadMs = page === PAGES.spa ? options.loadMs : undefined;
    // The median of three excludes the cold one.
    rows.push(...(await compare({ ...shared, page, rounds, warmUp: isGoal ? 1 : 0, loadMs })));
  }
  return rows;
}
