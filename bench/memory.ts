/** `npm run bench:memory`, as root: cost and time of a warm page by memory size, for docs/performance.md. */
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bundleCode } from '../infra/constructs/bundle-functions.ts';
import { unpackChromium } from '../infra/constructs/unpack-chromium.ts';
import { readFunctionLogs } from '../test/support/stack/read-function-logs.ts';
import { browserFunction } from '../test/support/browser/browser-function.ts';
import { startChild } from './child.ts';
import { rounded } from './compare.ts';
import { localService } from './contenders/service.ts';
import { cpuLimit } from './cpu-limit.ts';
import { median } from './measure.ts';
import { type BenchPage, PAGES } from './pages/pages.ts';
import { treeOf } from '../test/support/stack/signal-tree.ts';
import { calm, environmentsOf } from './processes.ts';

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html: one vCPU. */
const MB_PER_CORE = 1_769;
const MB_PER_GB = 1_024;
const IDLE_POLL_MS = 5;
/** https://aws.amazon.com/lambda/pricing/, x86. */
const USD_PER_GB_SECOND = 0.000_016_666_7;

type Measured = {
  name: string;
  sizes: readonly number[];
  pages: readonly [BenchPage, ...BenchPage[]];
  rounds: number;
  warmUp: number;
  /** Waits for its work after a response. */
  rest: () => Promise<void>;
  pids: () => Promise<readonly number[]>;
  get: (page: BenchPage) => Promise<unknown>;
  /** Milliseconds billed so far. */
  billed: () => Promise<number[]>;
};

/** Sizes take turns, so that other load affects all alike. */
async function curve(it: Measured) {
  for (let round = 0; round < it.warmUp; round += 1) await it.get(it.pages[0]);
  await it.rest();
  const limit = await cpuLimit(await it.pids());
  const rows = [];
  for (const page of it.pages) {
    const taken = it.sizes.map((mb) => ({ mb, times: [] as number[], billed: [] as number[] }));
    for (let round = 0; round < it.rounds; round += 1) {
      for (const { mb, times, billed } of taken) {
        await limit.to(mb / MB_PER_CORE);
        await it.rest();
        const startedAt = performance.now();
        await it.get(page);
        times.push(performance.now() - startedAt);
        await it.rest();
        billed.push((await it.billed()).at(-1) ?? NaN);
      }
    }
    for (const { mb, times, billed } of taken) {
      const [p50_ms, billed_ms] = [rounded(median(times)), rounded(median(billed))];
      const usd = rounded(billed_ms * (mb / MB_PER_GB) * USD_PER_GB_SECOND * 1_000);
      rows.push({ name: it.name, page: page.path, mb, p50_ms, billed_ms, usd_per_million: usd });
    }
  }
  console.table(rows);
  return limit;
}

const bundles = fileURLToPath(new URL('../.cache/bench/bundles', import.meta.url));
const [{ browser: taskRoot }, chromiumDir] = await Promise.all([
  bundleCode(bundles, ['browser']),
  unpackChromium(),
]);
await using site = await startChild('bench/pages/site.ts');
const origin = `http://127.0.0.1:${site.line}`;
await using limits = new AsyncDisposableStack();
{
  const allow = new URL(origin).host;
  await using alone = await browserFunction({ taskRoot, chromiumDir, allow, maxEnvironments: 1 });
  await alone.warmUp();
  const [pid = 0] = alone.pids();
  const browser: Measured = {
    name: 'browser',
    sizes: [1_024, 1_536, 2_048, 3_008],
    pages: [PAGES.spa, PAGES.resources],
    rounds: 8,
    warmUp: 3,
    rest: async () => {
      while (alone.idle() === 0) await setTimeout(IDLE_POLL_MS);
    },
    pids: () => treeOf(pid),
    get: ({ path }) => alone.render(origin + path),
    billed: () => Promise.resolve(alone.billed()),
  };
  limits.use(await curve(browser));
}
{
  await using service = await localService(origin);
  const scraper: Measured = {
    name: 'scraper',
    sizes: [256, 512, 1_024, 1_769],
    pages: [PAGES.medium, PAGES.large],
    rounds: 30,
    warmUp: 400,
    rest: () => calm([site.pid]),
    pids: () => environmentsOf(service.functions['scraper'] ?? '', service.pid),
    get: service.plain.get,
    billed: async () => {
      const { lines } = await readFunctionLogs(service.logs);
      return lines.filter(({ function: name }) => name === 'scraper').map(({ ms }) => Number(ms));
    },
  };
  limits.use(await curve(scraper));
}
