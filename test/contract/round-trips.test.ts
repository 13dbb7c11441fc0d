import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { cachedAccounts } from '../../shared/adapters/dynamodb/accounts/cached-accounts.ts';
import { serviceOver } from '../support/world/api.ts';
import { emulatedWorld } from '../support/world/emulated-world.ts';
import { accountsOf } from '../support/world/in-memory-accounts.ts';
import { inMemoryWorld } from '../support/world/in-memory-world.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const JOBS = `${SCRAPE}/jobs`;
const url = 'https://example.com/';

test('a call makes few round trips to AWS, even in a busy minute', async () => {
  await using emulated = await emulatedWorld();
  const memory = inMemoryWorld();
  memory.web[url] = page('hello');
  const { calls, jobs, results, activity } = emulated;
  const queue: typeof memory.queue = {
    ...memory.queue,
    send: async (job) => {
      calls.push('SendMessageCommand');
      await emulated.queue.send(job);
    },
  };
  const accounts = cachedAccounts(accountsOf(emulated), memory.now);
  const world = { ...memory, jobs: { ...memory.jobs, ...jobs }, results, ...accounts, activity, queue };
  const service = serviceOver(world);
  const { key } = await service.organization();
  const callsOf = async (call: () => Promise<unknown>) => {
    const before = calls.length;
    await call();
    return calls.slice(before);
  };
  const submit = (headers = {}) => service.post(JOBS, key, { url }, headers);
  const id = String((await submit()).json.job_id);
  const poll = () => service.ask(`${JOBS}/${id}`, { key });
  await poll();
  await service.work([id]);
  const result = (headers = {}) => service.ask(`${JOBS}/${id}/result`, { key, headers });
  const refused = () => service.post(JOBS, key, { url: 'http://127.0.0.1/' });

  for (let n = 0; n < 4; n++) {
    expect((await callsOf(poll)).length).toBe(2);
    expect(await callsOf(result)).toEqual(['UpdateItemCommand', 'GetItemCommand']);
    expect(await callsOf(refused)).toEqual(['UpdateItemCommand']);
    // Before the response only the first.
    expect(await callsOf(() => service.post(SCRAPE, key, { url }))).toEqual([
      'UpdateItemCommand',
      'PutItemCommand',
      'UpdateItemCommand',
    ]);
    expect((await callsOf(submit)).length).toBe(3);
    expect((await callsOf(() => submit({ 'Idempotency-Key': `order-${n}` }))).length).toBe(5);
  }
});

test('a large result needs two more round trips to hold a reader slot', async () => {
  await using emulated = await emulatedWorld();
  const memory = inMemoryWorld();
  memory.web[url] = page('', { body: randomBytes(100_000) });
  const accounts = cachedAccounts(accountsOf(emulated), memory.now);
  const service = serviceOver({ ...memory, ...accounts });
  const { key } = await service.organization();
  const id = String((await service.post(JOBS, key, { url })).json.job_id);
  await service.work();
  const ask = (headers = {}) => service.ask(`${JOBS}/${id}/result`, { key, headers });
  await ask();
  const before = emulated.calls.length;
  expect((await ask()).bytes.byteLength).toBe(100_000);
  expect(emulated.calls.slice(before)).toEqual([
    'UpdateItemCommand',
    'UpdateItemCommand',
    'UpdateItemCommand',
  ]);
  expect((await ask({ Prefer: 'respond-redirect' })).status).toBe(303);
  expect(emulated.calls.length - before).toBe(4);
});

test('ten jobs of one organization make nine round trips to AWS each and share a tenth', async () => {
  await using emulated = await emulatedWorld();
  const memory = inMemoryWorld();
  memory.web[url] = page('hello');
  const { calls, jobs, activity } = emulated;
  const results: typeof memory.results = {
    ...memory.results,
    put: (key, bytes) => {
      calls.push('PutObjectCommand');
      return memory.results.put(key, bytes);
    },
  };
  const accounts = cachedAccounts(accountsOf(emulated), memory.now);
  const service = serviceOver({
    ...memory,
    jobs: { ...memory.jobs, ...jobs },
    results,
    ...accounts,
    activity,
  });
  const { key } = await service.organization();
  const callsOfBatch = async (size: number) => {
    for (let n = 0; n < size; n++) await service.post(JOBS, key, { url });
    const before = calls.length;
    expect(await service.work()).toMatchObject({ kept: [] });
    return calls.length - before;
  };
  await callsOfBatch(1);
  // A worker looks at its job each second, which a busy machine takes for one.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await callsOfBatch(10)).toBeLessThan(10 * 10);
});

test('an endpoint adds one read and one write to each job, and nothing where it receives no such event', async () => {
  await using emulated = await emulatedWorld();
  const memory = inMemoryWorld();
  memory.web[url] = page('hello');
  const { calls, jobs, activity, webhooks, deliveries } = emulated;
  const accounts = cachedAccounts(accountsOf(emulated), memory.now);
  const service = serviceOver({
    ...memory,
    ...{ jobs: { ...memory.jobs, ...jobs }, ...accounts, activity, webhooks },
    deliveries: { ...memory.deliveries, ...deliveries },
  });
  const callsOfJob = async (key: string) => {
    await service.post(JOBS, key, { url });
    const before = calls.length;
    await service.work();
    return calls.slice(before);
  };
  const keyWith = async (events?: string[]) => {
    const { key } = await service.organization();
    if (events) await service.post('/api/v1/webhooks', key, { url: 'https://hooks.example/', events });
    await callsOfJob(key);
    return key;
  };
  const none = await callsOfJob(await keyWith());
  expect(await callsOfJob(await keyWith(['credits.low', 'job.failed']))).toEqual(none);
  const told = await callsOfJob(await keyWith(['job.completed']));
  expect(told).toHaveLength(none.length + 2);
  expect(told.filter((call) => call === 'QueryCommand')).toHaveLength(1);
});
