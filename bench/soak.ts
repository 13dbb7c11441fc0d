/**
 * `npm run bench:soak`: 2,000 pages, one after another, in one browser environment. Fails if the last 500
 * take more CPU time than the first 500, or if its memory has grown.
 */
import { startChild } from './child.ts';
import { rounded } from './compare.ts';
import { assertMet, atMost } from './goals.ts';
import { median } from './measure.ts';
import { PAGES } from './pages/pages.ts';
import { cpuMs } from './processes.ts';
import { openRenderer } from './rendered.ts';

const [PAGES_OF_ROW, ROWS] = [100, 20];

await using site = await startChild('bench/pages/site.ts');
const host = `127.0.0.1:${site.line}`;
await using renderer = await openRenderer(host);
const rows: Record<'pages' | 'p50_ms' | 'cpu_ms' | 'rss_mb', number>[] = [];
for (let pages = PAGES_OF_ROW; pages <= ROWS * PAGES_OF_ROW; pages += PAGES_OF_ROW) {
  const cpuBefore = await cpuMs([site.pid]);
  const times: number[] = [];
  for (let page = 0; page < PAGES_OF_ROW; page += 1) times.push(await render());
  // Other load on the machine affects it less than the time of a page.
  const cpu_ms = rounded(((await cpuMs([site.pid])) - cpuBefore) / PAGES_OF_ROW);
  const rss_mb = rounded(process.memoryUsage.rss() / 1_000_000);
  rows.push({ pages, p50_ms: rounded(median(times)), cpu_ms, rss_mb });
  console.error(rows.at(-1));
}
console.table(rows);
const of = (key: 'cpu_ms' | 'rss_mb', some: typeof rows) => median(some.map((row) => row[key]));
const ratio = (key: 'cpu_ms' | 'rss_mb') => of(key, rows.slice(-5)) / of(key, rows.slice(0, 5));
assertMet([
  atMost(1.15, 'CPU time of a page in the last 500 of an environment, to the first 500', ratio('cpu_ms')),
  atMost(1.25, 'memory in the last 500, to the first 500', ratio('rss_mb')),
]);

/** Milliseconds to a whole page. The next browser is started after it, as the function does. */
async function render(): Promise<number> {
  const startedAt = performance.now();
  const { body } = await renderer.render(`http://${host}${PAGES.spa.path}`);
  const ms = performance.now() - startedAt;
  if (!body.includes(PAGES.spa.holds)) throw new Error('A page is not whole.');
  await renderer.rest();
  return ms;
}
