import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { clientOf } from '../support/stack/client.ts';
import { eventReceiver } from '../support/servers/event-receiver.ts';
import { sweeperOf, usageOf } from '../support/life/killing.ts';
import { newOrganization } from '../support/world/organization.ts';
import { ownStack } from '../support/stack/shared-stack.ts';

const BATCHES = '/api/v1/scraper/batches';
const [BATCH_COUNT, SIZE] = [5, 400];
const KILL_EVERY_MS = 1_000;
/** A process that is killed while it starts does no job, and the last one may be the only one. */
const STARTED_MS = 3_000;
const SWEPT_EVERY = { interval: 1_000, timeout: 300_000 };
/** Requests that lost their worker four times. */
const MAX_EXHAUSTED = 200;

type Batch = { status: string; counts: Record<string, number>; credits_used: number };
type Line = { custom_id: string; status: string; error_code?: string };

let secret = '';
const receiver = await eventReceiver(() => secret);
afterAll(() => receiver[Symbol.asyncDispose]());
const stack = await ownStack({ egressAllow: [receiver.host] });
// A dead worker's slots stay occupied until its chunks are given back.
const wanted = { plan: 'business', overrides: { concurrency: 100 } } as const;
const { api_key: key, org_id: orgId } = await newOrganization(stack.storage, wanted);
const client = clientOf(stack.baseUrl, key);
const sweeper = sweeperOf(stack);
afterAll(() => sweeper[Symbol.dispose]());

const json = async <T>(path: string) => (await (await client.get(path)).json()) as T;

async function submit(name: number): Promise<string> {
  const requests = Array.from({ length: SIZE }, (_, n) => ({
    url: `${stack.demoSite}/slow?ms=50`,
    custom_id: `${name}.${n}`,
  }));
  const answer = await client.post(BATCHES, { requests, defaults: { timeout: 5_000 } });
  return ((await answer.json()) as { batch_id: string }).batch_id;
}

const seenAt = new Map<number, number>();

/** The processes of a function that have run for a while. */
function started(name: 'worker' | 'notifier'): number[] {
  const pids = stack.pids()[name] ?? [];
  const now = performance.now();
  for (const pid of pids) if (!seenAt.has(pid)) seenAt.set(pid, now);
  return pids.filter((pid) => now - (seenAt.get(pid) ?? now) >= STARTED_MS);
}

/** Kills a worker or a notifier every second, and has the sweeper look for what they left. */
async function killUntil(isOver: () => Promise<boolean>): Promise<number> {
  let [turns, kills] = [0, 0];
  while (!(await isOver())) {
    const pids = { worker: started('worker'), notifier: started('notifier') };
    const victims = pids[turns % 3 === 2 ? 'notifier' : 'worker'];
    const victim = victims[turns % Math.max(1, victims.length)];
    if (victim !== undefined) {
      process.kill(victim, 'SIGKILL');
      kills += 1;
    }
    turns += 1;
    await Promise.all([sweeper.sweep(), setTimeout(KILL_EVERY_MS)]);
  }
  return kills;
}

test('2,000 requests of five batches are exact while a worker or a notifier is killed every second', async () => {
  const created = await client.post('/api/v1/webhooks', { url: receiver.url, events: ['batch.completed'] });
  secret = ((await created.json()) as { secret: string }).secret;
  const ids: string[] = [];
  for (let name = 0; name < BATCH_COUNT; name += 1) ids.push(await submit(name));
  const all = () => Promise.all(ids.map((id) => json<Batch>(`${BATCHES}/${id}`)));

  const kills = await killUntil(async () => (await all()).every(({ status }) => status === 'completed'));
  expect(kills).toBeGreaterThan(20);

  const batches = await all();
  const lines = (await Promise.all(ids.map((id) => client.lines<Line>(`${BATCHES}/${id}/results`)))).flat();
  expect(new Set(lines.map(({ custom_id: name }) => name)).size).toBe(BATCH_COUNT * SIZE);
  expect(lines).toHaveLength(BATCH_COUNT * SIZE);
  const failures = lines.flatMap(({ error_code: code }) => code ?? []);
  expect(failures.filter((code) => code !== 'attempts_exhausted')).toEqual([]);
  expect(failures.length).toBeLessThan(MAX_EXHAUSTED);
  for (const { counts, credits_used: used } of batches) {
    expect([counts['pending'], counts['running'], used]).toEqual([0, 0, counts['completed']]);
    expect(Number(counts['completed']) + Number(counts['failed'])).toBe(SIZE);
  }
  const used = lines.filter(({ status }) => status === 'completed').length;
  await expect.poll(await usageOf(stack, orgId, sweeper), SWEPT_EVERY).toEqual({ used, slots: {} });
  const told = async () => {
    await sweeper.sweep();
    return [...new Set(receiver.events.map(({ data }) => String(data['batch_id'])))].sort();
  };
  await expect.poll(told, SWEPT_EVERY).toEqual([...ids].sort());
  expect(new Set(receiver.events.map(({ id }) => id)).size).toBe(BATCH_COUNT);
  expect(receiver.refused).toEqual([]);
});
