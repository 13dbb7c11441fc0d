import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { sweeperOf, usageOf } from '../support/life/killing.ts';
import { faults, modelServer } from '../support/servers/model-server.ts';
import { targetServer } from '../support/servers/target-server.ts';
import { clientOf } from '../support/stack/client.ts';
import { ownStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

const BATCHES = '/api/v1/scraper/batches';
const LINES = 1_000;
/** Of so many lines, the model gives no valid values for one. */
const INVALID_EVERY = 10;
const KILL_EVERY_MS = 1_000;
/** A process that is killed while it starts does no line, and the last one may be the only one. */
const STARTED_MS = 3_000;
const SWEPT_EVERY = { interval: 1_000, timeout: 300_000 };
/** Lines that lost their worker three times. */
const MAX_EXHAUSTED = 100;

const site = await targetServer(({ url = '' }, response) => {
  const n = url.slice(1);
  response
    .writeHead(200, { 'Content-Type': 'text/html' })
    .end(`<h1>Offer ${n}</h1><p>The price of offer ${n} is ${n} euro, and it is in stock.</p>`);
});
afterAll(() => site[Symbol.asyncDispose]());
const model = await modelServer(async (asked) => {
  await setTimeout(50);
  const n = Number(/Offer (\d+)/.exec(asked.page)?.[1]);
  return n % INVALID_EVERY === 0 ? faults.invalid() : { values: { n } };
});
afterAll(() => model[Symbol.asyncDispose]());
const stack = await ownStack({
  egressAllow: [new URL(site.origin).host],
  model: { MODEL_URL: model.baseUrl, MODEL_NAME: 'stub', MODEL_STRUCTURED: 'json_schema' },
});
// A dead worker's slots stay occupied until its chunks are given back.
const wanted = { plan: 'business', overrides: { concurrency: 100 } } as const;
const { api_key: key, org_id: orgId } = await newOrganization(stack.storage, wanted);
const client = clientOf(stack.baseUrl, key);
const sweeper = sweeperOf(stack);
afterAll(() => sweeper[Symbol.dispose]());

type Batch = { status: string; counts: Record<string, number>; credits_used: number };
type Line = { url: string; status: string; error_code?: string; body?: string; credits_used: number };

const seenAt = new Map<number, number>();

/** Workers that have run for a while. */
function started(): number[] {
  const now = performance.now();
  const pids = stack.pids().worker ?? [];
  for (const pid of pids) if (!seenAt.has(pid)) seenAt.set(pid, now);
  return pids.filter((pid) => now - (seenAt.get(pid) ?? now) >= STARTED_MS);
}

test('1,000 lines that a model reads come once each, and are charged once, while workers are killed', async () => {
  const properties = { n: { type: 'integer' } };
  const extract_schema = { type: 'object', properties, required: ['n'], additionalProperties: false };
  const requests = Array.from({ length: LINES }, (_, n) => ({ url: `${site.origin}/${n + 1}` }));
  const defaults = { format: 'extract', extract_schema, timeout: 15_000 };
  const answer = await client.post(BATCHES, { requests, defaults });
  const path = `${BATCHES}/${((await answer.json()) as { batch_id: string }).batch_id}`;
  const state = async () => (await (await client.get(path)).json()) as Batch;

  let kills = 0;
  while ((await state()).status !== 'completed') {
    const [victim] = started();
    if (victim !== undefined) {
      process.kill(victim, 'SIGKILL');
      kills += 1;
    }
    await Promise.all([sweeper.sweep(), setTimeout(KILL_EVERY_MS)]);
  }
  expect(kills).toBeGreaterThan(5);

  const lines = await client.lines<Line>(`${path}/results?include=body`);
  const numberOf = ({ url }: Line) => Number(new URL(url).pathname.slice(1));
  expect(lines.map(numberOf).sort((a, b) => a - b)).toEqual(requests.map((_, n) => n + 1));
  const exhausted = lines.filter(({ error_code: code }) => code === 'attempts_exhausted');
  expect(exhausted.length).toBeLessThan(MAX_EXHAUSTED);
  for (const line of lines.filter((each) => !exhausted.includes(each))) {
    const n = numberOf(line);
    const isInvalid = n % INVALID_EVERY === 0;
    expect(line).toMatchObject(
      isInvalid
        ? { status: 'failed', error_code: 'extraction_invalid', credits_used: 0 }
        : { status: 'completed', body: JSON.stringify({ n }), credits_used: 6 },
    );
  }
  const used = 6 * lines.filter(({ status }) => status === 'completed').length;
  expect((await state()).credits_used).toBe(used);
  await expect.poll(await usageOf(stack, orgId, sweeper), SWEPT_EVERY).toEqual({ used, slots: {} });
});
