/** `node bench/scrapes.ts`: milliseconds by function and bytes of log for each scrape, for docs/cost.md. */
import type { FunctionLine } from '../test/support/stack/read-function-logs.ts';
import { median } from './measure.ts';
import { openStack } from './stack.ts';

const ROUNDS = 50;
const JOBS = '/api/v1/scraper/jobs';

await using stack = await openStack();
const { client } = await stack.organization({
  plan: 'business',
  overrides: { rpm: 1e6, readsPerMinute: 1e6 },
});
const scrape = async (request: object) => void (await (await client.scrape(request)).arrayBuffer());
const job = async (request: object) => {
  const id = await client.submit(request);
  while ((await client.job(id)).status !== 'completed') await new Promise((next) => setTimeout(next, 50));
  await (await client.result(id)).arrayBuffer();
};
const jobInOneCall = async (request: object) =>
  void (await (await client.post(JOBS, request, { Prefer: 'wait=60' })).arrayBuffer());

const url = `${stack.demoSite}/js`;
const screenshot = { full_page: true };
const rendered = { url, render_js: true };
console.log(`Median of ${ROUNDS}, milliseconds`, {
  'at once, plain': await measured(scrape, { url }),
  'at once, rendered': await measured(scrape, rendered),
  'at once, screenshot': await measured(scrape, { url, format: 'screenshot' }),
  'at once, full page': await measured(scrape, { url, format: 'screenshot', screenshot }),
  'at once, PDF': await measured(scrape, { url, format: 'pdf' }),
  'job, plain': await measured(job, { url }),
  'job, rendered': await measured(job, rendered),
  'job in one call, plain': await measured(jobInOneCall, { url }),
  'job in one call, rendered': await measured(jobInOneCall, rendered),
});

async function measured(run: (request: object) => Promise<void>, request: object) {
  await run(request);
  const before = await stack.logs();
  for (let round = 0; round < ROUNDS; round += 1) await run(request);
  const after = await stack.logs();
  const known = new Set(before.lines.map((line) => JSON.stringify(line)));
  const fresh = after.lines.filter((line) => line.ms !== undefined && !known.has(JSON.stringify(line)));
  const kindOf = (line: FunctionLine) => `${line.function} ${String(line.operation ?? line.message)}`;
  const times = Object.entries(Object.groupBy(fresh, kindOf));
  const log_bytes = Math.round((after.text.length - before.text.length) / ROUNDS);
  return {
    ...Object.fromEntries(times.map(([kind, of = []]) => [kind, median(of.map(({ ms }) => Number(ms)))])),
    log_bytes,
  };
}
