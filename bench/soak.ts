/**
 * `npm run bench:soak`: 2,000 pages, one after another, in one browser environment. Fails if the last hundred
 * take more CPU time than the second hundred, or if its memory has grown.
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
const toSecond = (key: 'cpu_ms' | 'rss_mb') => (rows.at(-1)?.[key] ?? NaN) / (rows[1]?.[key] ?? NaN);
assertMet([
  atMost(1.15, 'CPU time of a page after 2,000 in one environment, to that after 200', toSecond('cpu_ms')),
  atMost(1.15, 'memory after 2,000 pages, to that after 200', toSecond('rss_mb')),
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
