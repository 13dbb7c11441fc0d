/**
 * `npm run bench:fairness`: how long the calls of one organization take while another one does its worst, on
 * the local stack. `-- --only submits` measures the rows whose name contains the word, and `--seconds` sets
 * how long each is measured. Exits with 1 if a call at the 95th percentile takes more than twice as long,
 * except beside one that works rather than waits: here both share cores and the emulator.
 */
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { v7 } from 'uuid';
import { clientOf } from '../test/support/client.ts';
import { localStack } from '../test/support/local-stack.ts';
import { newOrganization } from '../test/support/organization.ts';
import { newMember } from '../test/support/page-client.ts';
import { synthesised } from '../test/support/synthesised-stacks.ts';
import { rounded } from './compare.ts';
import { type Party, type Row, rows } from './fairness-rows.ts';
import { percentile } from './measure.ts';

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, seconds: { type: 'string', default: '20' } },
});
const measuredMs = Number(values.seconds) * 1_000;
const WARM_UP = 30;
const PAUSE_MS = 50;
/** Slow readers are cut off within seconds, so their worst is at the beginning. Then it has to end. */
const [BEGIN_MS, END_MS] = [3_000, 5_000];
const MAX_RATIO = 2;
/** Two cores share the work of both: less than this says nothing. */
const NOISE_MS = 100;

await using stack = await localStack({ assembly: await synthesised('cdk.out') });
const measured = [];
for (const row of rows) if (row.name.includes(values.only)) measured.push(await measure(row));
console.table(measured);
if (measured.some(({ isFair }) => !isFair)) process.exitCode = 1;

async function measure({ name, isWork, prepare, worst, probe }: Row) {
  const [busy, calm] = [await party('free'), await party('business')];
  const prepared = (await prepare?.(busy)) ?? '';
  for (let n = 0; n < WARM_UP; n++) await probe(calm);
  const quiet = await times(() => probe(calm));
  const over = new AbortController();
  const going = worst(busy, prepared, over.signal);
  await setTimeout(BEGIN_MS);
  const beside = await times(() => probe(calm));
  over.abort();
  await Promise.race([going, setTimeout(END_MS)]);
  const [before, after] = [percentile(quiet, 0.95), percentile(beside, 0.95)];
  return {
    'while another one has': name,
    'quiet p50 ms': rounded(percentile(quiet, 0.5)),
    'quiet p95 ms': rounded(before),
    'p50 ms': rounded(percentile(beside, 0.5)),
    'p95 ms': rounded(after),
    ratio: rounded(after / before),
    calls: beside.length,
    isWork: isWork === true,
    isFair: isWork === true || after <= Math.max(MAX_RATIO * before, before + NOISE_MS),
  };
}

async function party(plan: 'free' | 'business'): Promise<Party> {
  const { baseUrl, dashboardUrl, demoSite, localDir, storage } = stack;
  const { api_key: key } = await newOrganization(storage, { plan });
  let member: ReturnType<typeof newMember> | undefined;
  const page = async (path: string) => {
    member ??= newMember(dashboardUrl, localDir, `${v7()}@example.com`);
    const { status } = await (await member).visitor.get(path);
    return new Response(null, { status });
  };
  return { client: clientOf(baseUrl, key), key, baseUrl, demoSite, page };
}

/** Milliseconds of each call, one after another. */
async function times(call: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  for (const end = performance.now() + measuredMs; performance.now() < end;) {
    const startedAt = performance.now();
    await call();
    taken.push(performance.now() - startedAt);
    await setTimeout(PAUSE_MS);
  }
  return taken;
}
