/**
 * `npm run bench:upload`: a million lines through the whole local stack. Shows how long they are read, how
 * much memory the reader needs, how long a cancel takes while lines run, and while they are read, and how
 * many times as long a line takes that is refused as one that is accepted.
 * `--lines` changes its size. Exits with 1 if a goal is missed.
 */
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readLine } from '../shared/request/read-line.ts';
import { createOrganization } from '../shared/use-cases/accounts/manage-organizations.ts';
import { clientOf } from '../test/support/client.ts';
import { localStack } from '../test/support/local-stack.ts';
import { synthesised } from '../test/support/synthesised-stacks.ts';
import { rounded } from './compare.ts';
import { largestMemory } from './memory-of.ts';
import { median } from './measure.ts';

const { values } = parseArgs({ options: { lines: { type: 'string', default: '1000000' } } });
const lines = Number(values.lines);
const BATCHES = '/api/v1/scraper/batches';
const LOOK_MS = 250;
const [MAX_CANCEL_MS, MAX_MEMORY_MB, MAX_REFUSAL] = [2_000, 500, 10];
const [READ_LINES, ROUNDS] = [2_000, 5];

type Batch = {
  batch_id: string;
  status: string;
  counts: Record<string, number>;
  upload_url?: string;
  started_at?: string;
};

await using stack = await localStack({ assembly: await synthesised('cdk.out') });
const wanted = { name: 'Bench', plan: 'business', overrides: { concurrency: 2 }, mode: 'test' } as const;
const client = clientOf(stack.baseUrl, (await createOrganization(stack.storage, wanted)).api_key);
const file = Buffer.from(
  Array.from(
    { length: lines },
    (_, n) => `{"url":"${stack.demoSite}/slow?ms=200","custom_id":"${n}"}\n`,
  ).join(''),
);

const rows = [await cancelled('while lines run', (batch) => Number(batch.counts['completed']) > 0)];
rows.push(await cancelled('while it is read', ({ started_at: at }) => at !== undefined));
console.table(rows);
const refusal = rounded(refusalRatio());
console.log(`A refused line takes ${refusal} times as long as an accepted one (at most ${MAX_REFUSAL}).`);
const isMissed = rows.some(
  ({ cancel_ms, worker_mb }) => cancel_ms > MAX_CANCEL_MS || worker_mb > MAX_MEMORY_MB,
);
if (isMissed || refusal > MAX_REFUSAL) process.exitCode = 1;

/** Uploads the lines, and cancels them once that is so. */
async function cancelled(when: string, isDue: (batch: Batch) => boolean) {
  const made = await asBatch(client.post(BATCHES, { input: 'upload' }));
  const { batch_id: id, upload_url: url = '' } = made;
  const put = await fetch(url, { method: 'PUT', body: file });
  if (!put.ok) throw new Error(`The upload was refused: ${await put.text()}`);
  await asBatch(client.post(`${BATCHES}/${id}/start`, {}));
  const startedAt = performance.now();
  let [worker, seconds, batch] = [0, 0, made];
  while (!isDue(batch)) {
    await setTimeout(LOOK_MS);
    worker = Math.max(worker, await largestMemory(stack.pids()['worker']));
    batch = await asBatch(client.get(`${BATCHES}/${id}`));
    if (seconds === 0 && Number(batch.counts['total']) > 0) seconds = (performance.now() - startedAt) / 1_000;
  }
  const before = performance.now();
  const after = await asBatch(client.post(`${BATCHES}/${id}/cancel`, {}));
  const ms = performance.now() - before;
  return {
    when,
    lines,
    read_s: rounded(seconds),
    worker_mb: worker,
    cancel_ms: Math.round(ms),
    then: after.status,
  };
}

/** The median of several rounds, each of which reads both kinds of line in turn. */
function refusalRatio(): number {
  const [refused, accepted] = [
    '{"url":"https://example.com/","rendr_js":true}',
    '{"url":"https://example.com/"}',
  ];
  return median(Array.from({ length: ROUNDS }, () => readingMs(refused) / readingMs(accepted)));
}

function readingMs(line: string): number {
  const policy = { allow: [] };
  const before = performance.now();
  for (let n = 0; n < READ_LINES; n += 1) readLine(line, { defaults: {}, policy });
  return performance.now() - before;
}

async function asBatch(response: Promise<Response>): Promise<Batch> {
  const answer = await response;
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Batch;
}
