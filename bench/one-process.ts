import { setTimeout } from 'node:timers/promises';
import type { Processes } from '../functions/browser/launch/chromium-flags.ts';
import { dispose, openIsolate } from '../functions/browser/launch/isolates.ts';
import { type BrowserFunction, browserFunction } from './browser-function.ts';
import { firstPage, mostMemory } from './cold.ts';
import { rounded } from './compare.ts';
import { median } from './measure.ts';
import { type BenchPage, PAGES } from './pages/pages.ts';
import { calm, cpuMs } from './processes.ts';

type Options = { taskRoot: string; chromiumDir: string; origin: string; rounds: number; without: number[] };

/** Medians in milliseconds and MB. */
export type ProcessesRow = {
  processes: Processes;
  /** To a blank page. */
  launch_ms: number;
  close_ms: number;
  /** From the start of an environment to its first page. */
  cold_ms: number;
  memory_mb: number;
  spa_ms: number;
  spa_billed_ms: number;
  spa_cpu_ms: number;
  resources_ms: number;
  resources_billed_ms: number;
  resources_cpu_ms: number;
};

const WAYS = ['one', 'many'] as const satisfies Processes[];
/** Short runs are repeated more often than cold starts. */
const TURNS_PER_ROUND = 4;
const WARM_UP = 3;
const IDLE_POLL_MS = 5;

/** Chromium in one process beside several, in the browser function alone. */
export async function processesRows(options: Options): Promise<ProcessesRow[]> {
  const launches = await inTurns(options.rounds * TURNS_PER_ROUND, (processes) =>
    launched(processes, options),
  );
  // One at a time: environments that run the same file share its memory.
  const starts = await inTurns(options.rounds, (processes) => started(processes, options));
  const open = (processes: Processes) => browserFunction({ ...environment(options, processes) });
  await using one = await open('one');
  await using many = await open('many');
  const pages = (page: BenchPage) =>
    inTurns(
      options.rounds * TURNS_PER_ROUND,
      (processes) => rendered(processes === 'one' ? one : many, page, options),
      WARM_UP,
    );
  const [spa, resources] = [await pages(PAGES.spa), await pages(PAGES.resources)];
  return WAYS.map((processes) => ({
    processes,
    launch_ms: middle(launches[processes], 'launch'),
    close_ms: middle(launches[processes], 'close'),
    cold_ms: middle(starts[processes], 'cold'),
    memory_mb: rounded(Math.max(...starts[processes].map(({ mb }) => mb))),
    spa_ms: middle(spa[processes], 'ms'),
    spa_billed_ms: middle(spa[processes], 'billed'),
    spa_cpu_ms: middle(spa[processes], 'cpu'),
    resources_ms: middle(resources[processes], 'ms'),
    resources_billed_ms: middle(resources[processes], 'billed'),
    resources_cpu_ms: middle(resources[processes], 'cpu'),
  }));
}

/** Both in turns, so that other load affects them alike. */
async function inTurns<T>(turns: number, run: (processes: Processes) => Promise<T>, warmUp = 0) {
  const taken: Record<Processes, T[]> = { one: [], many: [] };
  for (let turn = -warmUp; turn < turns; turn += 1) {
    for (const processes of WAYS) {
      const each = await run(processes);
      if (turn >= 0) taken[processes].push(each);
    }
  }
  return taken;
}

const middle = <K extends string>(of: readonly Record<K, number>[], key: K) =>
  rounded(median(of.map((each) => each[key])));

const environment = ({ taskRoot, chromiumDir, origin }: Options, processes: Processes) => ({
  taskRoot,
  chromiumDir,
  allow: new URL(origin).host,
  maxEnvironments: 1,
  processes,
});

async function launched(processes: Processes, { chromiumDir }: Options) {
  const startedAt = performance.now();
  const isolate = await openIsolate({ allow: [] }, { chromiumDir, processes });
  const launchedAt = performance.now();
  await dispose(isolate);
  return { launch: launchedAt - startedAt, close: performance.now() - launchedAt };
}

async function started(processes: Processes, options: Options) {
  await calm(options.without);
  await using cold = await browserFunction(environment(options, processes));
  return {
    cold: await firstPage(cold, options.origin),
    mb: await mostMemory(cold, options.origin),
  };
}

/** One page, including the environment's work after its response. */
async function rendered({ render, idle, billed }: BrowserFunction, page: BenchPage, options: Options) {
  await calm(options.without);
  const cpuBefore = await cpuMs(options.without);
  const startedAt = performance.now();
  await render(options.origin + page.path);
  const ms = performance.now() - startedAt;
  while (idle() === 0) await setTimeout(IDLE_POLL_MS);
  return { ms, billed: billed().at(-1) ?? NaN, cpu: (await cpuMs(options.without)) - cpuBefore };
}
