/**
 * `npm run bench:soak`: ten thousand jobs through one worker environment. Exits with 1 if its memory grows.
 */
import { fileURLToPath } from 'node:url';
import { synthesise } from '../local/synthesise.ts';
import { readLocalEnv } from '../shared/config.ts';
import { startChild } from './child.ts';
import { rounded } from './compare.ts';
import { PAGES } from './pages/pages.ts';
import { runBatch } from './worker.ts';
import { workerEnvironment } from './worker-environment.ts';

const ASSEMBLY = fileURLToPath(new URL('../.cache/bench/soak.out', import.meta.url));
const JOBS = 10_000;
const LOOK_EVERY = 1_000;
const BATCH = 10;
/** Of the heap from the third look on, once caches are full and code is compiled. */
const MAX_GROWTH = 1.1;

await synthesise({ output: ASSEMBLY, path: readLocalEnv({}).path, signal: new AbortController().signal });
await using site = await startChild('bench/pages/site.ts');
const origin = `http://127.0.0.1:${site.line}`;
await using worker = await workerEnvironment({ assembly: ASSEMBLY, allow: [new URL(origin).host] });
const urls = Array.from(
  { length: BATCH },
  (_, n) => origin + (n % 2 === 0 ? PAGES.small : PAGES.medium).path,
);

const rows = [];
const startedAt = performance.now();
for (let jobs = 0; jobs <= JOBS; jobs += BATCH) {
  if (jobs % LOOK_EVERY === 0) {
    const { rss_mb, heap_mb, external_mb, files, sockets } = await worker.probe();
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    const memory = { rss_mb: rounded(rss_mb), heap_mb: rounded(heap_mb), external_mb: rounded(external_mb) };
    rows.push({ jobs, seconds, ...memory, files, sockets });
    console.error(rows.at(-1));
    worker.lines.length = 0;
  }
  await runBatch(worker, urls);
}
console.table(rows);
if ((rows.at(-1)?.heap_mb ?? NaN) > MAX_GROWTH * (rows[3]?.heap_mb ?? NaN)) process.exitCode = 1;
