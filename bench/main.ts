/**
 * `npm run bench` measures the service beside the limits of the machine. `-- --write` updates bench/NOTES.md
 * and the goals in docs/performance.md.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { bundleCode } from '../infra/constructs/bundle-functions.ts';
import { unpackChromium } from '../infra/constructs/unpack-chromium.ts';
import { startChild } from './child.ts';
import { coldBrowser, coldScraper } from './cold.ts';
import { rounded } from './compare.ts';
import { plainRows, renderedRows } from './compare-all.ts';
import { localService } from './contenders/service.ts';
import { crawleeRow } from './crawlee.ts';
import { assertMet, goalsOf } from './goals.ts';
import { guardRow } from './guard.ts';
import { writeGoals, writeTables } from './report.ts';
import { settledRow } from './settled.ts';

const FOLDER = fileURLToPath(new URL('../.cache/bench', import.meta.url));
const effort = {
  rounds: 8,
  loadMs: 2_500,
  loadTurns: 4,
  warmUpMs: { plain: 15_000, rendered: 20_000 },
  warmUpPages: 2_000,
};
const COLD_STARTS = 3;

const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1_000);
async function measured<T>(what: string, work: Promise<T>): Promise<T> {
  console.error(`${seconds()} s: ${what}`);
  return work;
}

/** Load by other processes; above half a core the numbers mean little. */
const loadBefore = rounded(loadavg()[0] ?? NaN);
await mkdir(FOLDER, { recursive: true });
const [{ browser: taskRoot }, chromiumDir] = await Promise.all([
  bundleCode(`${FOLDER}/bundles`, ['browser']),
  unpackChromium(),
]);
await using site = await startChild('bench/pages/site.ts');
const origin = `http://127.0.0.1:${site.line}`;
const common = { taskRoot, chromiumDir, origin, without: [site.pid] };

const cold_browser = await measured('cold browsers', coldBrowser({ ...common, rounds: COLD_STARTS }));
const settled = await measured('the default wait', settledRow({ ...common, rounds: effort.rounds }));
await using service = await measured('start of the local stack', localService(origin));
const cold_scraper = await measured(
  'cold scrapers',
  coldScraper(service, origin, 2 * COLD_STARTS + 1, common.without),
);
const guard = await measured('the guard', guardRow());
const all = { ...common, ...effort, service };
const plain = await measured('plain pages', plainRows(all));
const beside_crawlee = await measured('Crawlee', crawleeRow(service.plain, all));
const rendered = await measured('rendered pages', renderedRows(all));

const sections = {
  Plain: plain,
  'Plain 100 KB at 4, beside Crawlee': [beside_crawlee],
  Rendered: rendered,
  'From the start of an environment to its first page': [{ ...cold_browser, ...cold_scraper }],
  'The default wait, on the browser function': [settled],
  'What the guard adds to a plain page': [guard],
};
const goals = goalsOf({ plain, rendered, beside_crawlee, cold_browser, cold_scraper, guard, settled });
for (const rows of Object.values(sections)) console.table(rows);
const about = `${availableParallelism()} cores, Node.js ${process.version}, load average ${loadBefore} at the start, ${seconds()} s.`;
console.log(about);
await writeFile(`${FOLDER}.json`, `${JSON.stringify({ about, ...sections, goals }, null, 2)}\n`);
if (process.argv.includes('--write')) {
  await writeTables(sections, about);
  await writeGoals(goals);
}
assertMet(goals);
