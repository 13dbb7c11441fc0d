/**
 * `npm run bench:backlog`: ten thousand slow pages of one organization through the whole local stack. Shows
 * how busy its slots are, how much memory the functions use, and how long another organization's job waits.
 * `--jobs`, `--concurrency` and `--ms`, the page's time, change the load. Exits with 1 if a goal is missed.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readFunctionLogs } from '../local/function-logs.ts';
import { createOrganization } from '../shared/use-cases/accounts/manage-organizations.ts';
import { type Client, clientOf } from '../test/support/client.ts';
import { localStack } from '../test/support/local-stack.ts';
import { synthesised } from '../test/support/synthesised-stacks.ts';
import { rounded } from './compare.ts';
import { largestMemory } from './memory-of.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000' },
    concurrency: { type: 'string', default: '10' },
    ms: { type: 'string', default: '200' },
  },
});
const jobs = Number(values.jobs);
const concurrency = Number(values.concurrency);

const JOBS = '/api/v1/scraper/jobs';
const BATCHES = '/api/v1/scraper/batches';
const OF_BATCH = 1_000;
const LOOK_MS = 100;
const ROW_MS = 20_000;
/** In which the slots fill, and are left. */
const EDGE_MS = 3_000;
const [MIN_BUSY, MAX_WAIT_MS, MAX_GROWTH] = [0.95, 2_000, 1.1];

await using stack = await localStack({ assembly: await synthesised('cdk.out') });
const { accounts } = stack.storage;
const [busy, calm] = [await openOrganization(), await openOrganization()];
const slots: { at: number; taken: number }[] = [];
const waits: number[] = [];
const rows: Record<string, number>[] = [];
const over = new AbortController();

const startedAt = performance.now();
const batches: string[] = [];
for (let left = jobs; left > 0; left -= OF_BATCH) batches.push(await submit(Math.min(left, OF_BATCH)));
const looking = [watchSlots(), sendSingles(), watchMemory()];
for (const id of batches) await ended(id);
const seconds = (performance.now() - startedAt) / 1_000;
over.abort();
await Promise.all(looking);

const inner = slots.filter(({ at }) => at > EDGE_MS && at < seconds * 1_000 - EDGE_MS);
const { lines } = await readFunctionLogs(join(stack.localDir, 'logs'));
const inVain = lines.filter(
  (line) => line.function === 'worker' && 'retry_after' in line && 'message_id' in line,
).length;
const result = {
  jobs,
  completed: await completed(),
  seconds: rounded(seconds),
  busy: rounded(inner.reduce((sum, { taken }) => sum + taken, 0) / inner.length / concurrency),
  most_slots: Math.max(...slots.map(({ taken }) => taken)),
  received_in_vain: inVain,
  longest_wait_of_another_ms: Math.max(...waits),
};
console.table(rows);
console.table([result]);
const [, , first = 0] = rows.map((row) => Number(row['worker_mb']));
const isMissed =
  result.completed !== jobs ||
  result.busy < MIN_BUSY ||
  result.most_slots > concurrency ||
  result.received_in_vain > 0 ||
  result.longest_wait_of_another_ms > MAX_WAIT_MS ||
  Number(rows.at(-1)?.['worker_mb']) > MAX_GROWTH * first;
if (isMissed) process.exitCode = 1;

async function openOrganization(): Promise<{ id: string; client: Client }> {
  const wanted = { name: 'Bench', plan: 'business', overrides: { concurrency }, mode: 'test' } as const;
  const made = await createOrganization(stack.storage, wanted);
  return { id: made.org_id, client: clientOf(stack.baseUrl, made.api_key) };
}

async function submit(size: number): Promise<string> {
  const requests = Array.from({ length: size }, (_, n) => ({
    url: `${stack.demoSite}/slow?ms=${values.ms}`,
    custom_id: String(n),
  }));
  const answer = await busy.client.post(BATCHES, { requests });
  return ((await answer.json()) as { batch_id: string }).batch_id;
}

async function ended(id: string): Promise<void> {
  for (;;) {
    const { status } = await batchOf(id);
    if (status === 'completed') return;
    await setTimeout(1_000);
  }
}

async function batchOf(id: string) {
  const answer = await busy.client.get(`${BATCHES}/${id}`);
  return (await answer.json()) as { status: string; counts: { completed: number } };
}

async function completed(): Promise<number> {
  const all = await Promise.all(batches.map(batchOf));
  return all.reduce((sum, { counts }) => sum + counts.completed, 0);
}

async function watchSlots(): Promise<void> {
  const organization = await accounts.findOrganization(busy.id);
  while (organization && !over.signal.aborted) {
    const usage = await accounts.usage(organization, new Date());
    slots.push({ at: performance.now() - startedAt, taken: Object.keys(usage.slots).length });
    await setTimeout(LOOK_MS);
  }
}

/** Single jobs of another organization, one after another. */
async function sendSingles(): Promise<void> {
  while (!over.signal.aborted) {
    const answer = await calm.client.post(JOBS, { url: stack.demoSite }, { Prefer: 'wait=60' });
    await answer.body?.cancel();
    const job = await calm.client.job(answer.headers.get('X-Job-Id') ?? '');
    waits.push(Date.parse(job.started_at ?? '') - Date.parse(job.created_at));
    await setTimeout(1_000);
  }
}

async function watchMemory(): Promise<void> {
  while (!over.signal.aborted) {
    const pids = stack.pids();
    const { counts } = await batchOf(batches.at(-1) ?? '');
    rows.push({
      seconds: Math.round((performance.now() - startedAt) / 1_000),
      of_last_batch: counts.completed,
      worker_mb: await largestMemory(pids['worker']),
      batches_mb: await largestMemory(pids['batches']),
      jobs_mb: await largestMemory(pids['jobs']),
    });
    console.error(rows.at(-1));
    await setTimeout(ROW_MS, undefined, { signal: over.signal }).catch(() => undefined);
  }
}
