/** Milliseconds by function and bytes of log per scrape, for docs/cost.md. */
import { mkdtempDisposable } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFunctionLogs, type FunctionLine } from '../local/function-logs.ts';
import { startStack } from '../local/start-stack.ts';
import { readLocalEnv } from '../shared/config.ts';
import { median } from './measure.ts';

const ROUNDS = 50;
const SCRAPER = '/api/v1/scraper';
const POLL_MS = 50;

await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-bench-'));
await using stack = await startStack({
  port: 0,
  localDir: folder.path,
  egressAllow: [],
  path: readLocalEnv().path,
  report: () => undefined,
});
const logs = () => readFunctionLogs(join(folder.path, 'logs'));
const headers = { Authorization: `Bearer ${stack.apiKey}`, 'Content-Type': 'application/json' };

async function call(path: string, body?: object, more = {}): Promise<Response> {
  const init = body ? { method: 'POST', body: JSON.stringify(body) } : {};
  const answer = await fetch(new URL(path, stack.baseUrl), { ...init, headers: { ...headers, ...more } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

async function scrape(request: object): Promise<void> {
  await (await call(SCRAPER, request)).arrayBuffer();
}

async function job(request: object): Promise<void> {
  const { status_url: url } = (await (await call(`${SCRAPER}/jobs`, request)).json()) as Submitted;
  for (let status = ''; status !== 'completed';) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    ({ status } = (await (await call(url)).json()) as Submitted);
  }
  await (await call(`${url}/result`)).arrayBuffer();
}

async function jobInOneCall(request: object): Promise<void> {
  const answer = await call(`${SCRAPER}/jobs`, request, { Prefer: 'wait=60' });
  if (answer.status !== 200) throw new Error(`The job was not awaited: ${answer.status}`);
  await answer.arrayBuffer();
}

type Submitted = { status_url: string; status: string };

/** A page's own line is identified by the calls around it. */
const kindOf = (line: FunctionLine) => `${line.function} ${String(line.operation ?? line.message)}`;

async function measured(run: (request: object) => Promise<void>, request: object) {
  await run(request);
  const before = await logs();
  for (let round = 0; round < ROUNDS; round += 1) await run(request);
  const after = await logs();
  const known = new Set(before.lines.map((line) => JSON.stringify(line)));
  const fresh = after.lines.filter((line) => line.ms !== undefined && !known.has(JSON.stringify(line)));
  const times = Object.groupBy(fresh, kindOf);
  const rows = Object.entries(times).map(([kind, of = []]) => [kind, median(of.map(({ ms }) => Number(ms)))]);
  const logBytes = Math.round((after.text.length - before.text.length) / ROUNDS);
  return { ...(Object.fromEntries(rows) as Record<string, number>), logBytes };
}

const url = `${stack.demoSite}/js`;
const rows = {
  'sync, plain': await measured(scrape, { url }),
  'sync, rendered': await measured(scrape, { url, render_js: true }),
  'sync, screenshot': await measured(scrape, { url, format: 'screenshot' }),
  'sync, full page': await measured(scrape, {
    url,
    format: 'screenshot',
    screenshot: { full_page: true },
  }),
  'sync, PDF': await measured(scrape, { url, format: 'pdf' }),
  'job, plain': await measured(job, { url }),
  'job, rendered': await measured(job, { url, render_js: true }),
  'job in one call, plain': await measured(jobInOneCall, { url }),
  'job in one call, rendered': await measured(jobInOneCall, { url, render_js: true }),
};
console.log(`${availableParallelism()} cores, median of ${ROUNDS}, milliseconds`);
console.log(rows);
