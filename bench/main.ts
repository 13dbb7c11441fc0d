/**
 * `npm run bench` measures the service beside the limits of the machine. `-- --quick` shortens it, `--
 * --write` updates docs/performance.md.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { bundleFunctions } from '../infra/constructs/bundle-functions.ts';
import { unpackChromium } from '../infra/constructs/unpack-chromium.ts';
import { startChild } from './child.ts';
import { coldBrowser, coldScraper } from './cold.ts';
import { rounded } from './compare.ts';
import { plainRows, renderedRows } from './compare-all.ts';
import { localService } from './contenders/service.ts';
import { crawleeRow } from './crawlee.ts';
import { goalsOf, isMet, goalLine } from './goals.ts';
import { guardRow } from './guard.ts';
import { jobsPerSecond, queueWait } from './jobs.ts';
import { moduleRows } from './modules.ts';
import { processesRows } from './one-process.ts';
import { writeReport } from './report.ts';
import { settledRow } from './settled.ts';
import { frozenBrowser } from './thaw.ts';
import { workerRow } from './worker.ts';

const FOLDER = fileURLToPath(new URL('../.cache/bench', import.meta.url));
const DOCUMENT = fileURLToPath(new URL('../docs/performance.md', import.meta.url));
const isQuick = process.argv.includes('--quick');
const effort = isQuick
  ? {
      rounds: 3,
      loadMs: 1_500,
      loadTurns: 1,
      warmUpMs: { plain: 1_500, rendered: 1_500 },
      warmUpPages: 0,
      cold: 1,
      frozenMs: 5_000,
      jobs: { plain: 40, rendered: 8, burst: 50, batches: 20 },
    }
  : {
      rounds: 8,
      loadMs: 2_500,
      loadTurns: 4,
      warmUpMs: { plain: 15_000, rendered: 20_000 },
      warmUpPages: 2_000,
      cold: 3,
      frozenMs: 60_000,
      jobs: { plain: 100, rendered: 16, burst: 200, batches: 40 },
    };

const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
const measuring = (what: string) => console.error(`${seconds()} s: ${what}`);
const loadBefore = loadavg()[0];
await mkdir(FOLDER, { recursive: true });
const [bundles, chromiumDir] = await Promise.all([bundleFunctions(`${FOLDER}/bundles`), unpackChromium()]);
const taskRoot = bundles.browser;
await using site = await startChild('bench/pages/site.ts');
const origin = `http://127.0.0.1:${site.line}`;
const common = { taskRoot, chromiumDir, origin, without: [site.pid] };

measuring('modules');
const modules = await moduleRows(bundles, chromiumDir, effort.cold);
measuring('cold browser environments');
const cold_browser = await coldBrowser({ ...common, rounds: effort.cold });
measuring('one process beside several');
const processes = await processesRows({ ...common, rounds: effort.cold });
measuring('the default wait');
const settled = await settledRow({ ...common, rounds: effort.rounds });
await using frozen = await frozenBrowser(
  { taskRoot, chromiumDir, allow: new URL(origin).host },
  origin,
  effort.frozenMs,
);
measuring('start of the local stack');
await using service = await localService(origin);
measuring('cold scraper environments');
const cold_scraper = await coldScraper(service, origin, 2 * effort.cold + 1, common.without);
measuring('plain pages');
const guard = await guardRow();
const plain = await plainRows({ ...common, ...effort, isQuick, service });
const beside_crawlee = await crawleeRow(service.plain, { ...common, ...effort });
measuring('rendered pages');
const rendered = await renderedRows({ ...common, ...effort, isQuick, service });
measuring('jobs');
const jobs_per_second = await jobsPerSecond(service, effort.jobs);
const queue_wait = await queueWait(service, effort.jobs.burst);
const worker = await workerRow(service.assembly, origin, effort.jobs.batches);
measuring('thaw');
const thaw = await frozen.thaw();

const machine = {
  cores: availableParallelism(),
  node: process.version,
  /** Load by other processes; above half a core the numbers mean little. */
  load_before: rounded(loadBefore ?? NaN),
};
const numbers = {
  beside_crawlee,
  cold_browser,
  cold_scraper,
  thaw,
  jobs_per_second,
  queue_wait,
  worker,
  guard,
  settled,
};
const goals = goalsOf({ plain, rendered, processes, ...numbers });
console.table(plain);
console.table(rendered);
console.table(numbers);
console.table(processes);
console.table(modules);
for (const goal of goals) console.log(goalLine(goal));
console.log(`${seconds()} s on`, machine);
await writeFile(
  `${FOLDER}.json`,
  `${JSON.stringify({ machine, is_quick: isQuick, plain, rendered, processes, ...numbers, modules, goals }, null, 2)}\n`,
);
if (process.argv.includes('--write')) {
  const named = <T>(of: Record<string, T>) =>
    Object.entries(of).map(([name, values]) => ({ name, ...values }));
  const sections = [
    { title: 'Plain', rows: plain },
    { title: 'Plain 100 KB at 4, beside Crawlee', rows: [beside_crawlee] },
    { title: 'Rendered', rows: rendered },
    { title: 'The browser function with Chromium in one process and in several', rows: processes },
    { title: 'Environments', rows: named({ cold_browser, cold_scraper, thaw }) },
    { title: 'The default wait, on the browser function', rows: [settled] },
    { title: 'Jobs a second', rows: [jobs_per_second] },
    { title: 'One worker environment, batches of ten', rows: [worker] },
    { title: 'A burst of jobs', rows: [queue_wait] },
    { title: 'What the guard adds to a plain page', rows: [guard] },
    { title: 'Bundles', rows: named(modules) },
  ];
  const about = `${isQuick ? 'The short form: ' : ''}${machine.cores} cores, Node.js ${machine.node}, load average ${machine.load_before} at the start, ${seconds()} s.`;
  await writeReport(DOCUMENT, sections, goals, about);
}
if (!goals.every(isMet)) process.exitCode = 1;
