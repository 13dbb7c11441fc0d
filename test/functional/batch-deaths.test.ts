import { describe, expect, test } from 'vitest';
import type { Page } from '../../shared/contract/scrape/page.ts';
import { AppError } from '../../shared/errors.ts';
import { newService, serviceOver } from '../support/world/api.ts';
import { extent } from '../support/world/extent.ts';
import { atEveryCall, type Death, mortal } from '../support/world/mortal.ts';
import { page } from '../support/world/pages.ts';

const BATCHES = '/api/v1/scraper/batches';
const MINUTE_MS = 60_000;
/** A lease, and retries. */
const MINUTES = 9;

const urlOf = (n: number) => `https://example.com/${n}`;
/** Two chunks of an upload, and a batch that is submitted with its requests. */
const [SIZE, FEW] = [28, 3];
const [GONE, FLAKY] = [2, 4];
const HOOK = 'https://hooks.example/in';
const requests = Array.from({ length: SIZE }, (_, n) => ({ url: urlOf(n), custom_id: String(n) }));
const lines = [...requests.map((each) => JSON.stringify(each)), 'nonsense'].join('\n');

async function open() {
  const { world, service } = await newService();
  const { key, orgId } = await service.organization({ overrides: { concurrency: 2, credits: 100 } });
  for (let n = 0; n < SIZE; n++) world.web[urlOf(n)] = page(`page ${n}`);
  world.web[urlOf(GONE)] = new AppError('tls_failed');
  let tries = 0;
  world.web[urlOf(FLAKY)] = async () => {
    await Promise.resolve();
    if (++tries === 1) throw new AppError('connect_failed');
    return page('there');
  };
  world.answers[HOOK] = 204;
  /** The service as a process that may die. */
  const dying = (death: Death) => {
    const { hasDied, ...ports } = mortal(world, death);
    return { ...serviceOver({ ...ports, web: world.web, pass: world.pass }), hasDied };
  };
  const get = async (path: string) => service.ask(`${BATCHES}${path}`, { key });

  /** Lets time pass without deaths until nothing is left to do. */
  async function recover() {
    for (let minute = 0; minute < MINUTES; minute++) {
      for (const sweep of [service.sweep, service.sweepBacklogs, service.sweepBatches, service.sweepChunks])
        await sweep();
      await service.work();
      await service.sweepDeliveries();
      await service.notify();
      world.pass(MINUTE_MS);
    }
  }

  async function usage() {
    const organization = await world.organizations.find(orgId);
    if (!organization) throw new Error('There is no organization.');
    return world.usage.read(organization, world.now());
  }

  /** Every line has ended, and is counted, charged and returned once. */
  async function settled(id: string, count: number) {
    const { json: batch } = await get(`/${id}`);
    const { total, pending, running, completed, failed, invalid } = batch['counts'] as Record<string, number>;
    expect([total, pending, running]).toEqual([count, 0, 0]);
    expect([Number(completed) + Number(failed) + Number(invalid), batch['credits_used']]).toEqual([
      total,
      completed,
    ]);
    expect(batch['completed_at']).toBeDefined();
    const used = await usage();
    expect(used).toMatchObject({
      credits: { used: completed, available: 100 - Number(completed) },
      slots: { inUse: {} },
    });
    const counted = Object.values(used.credits.days).reduce((sum, day) => sum + (day['plain_page'] ?? 0), 0);
    expect(counted).toBe(completed);
    const results = await get(`/${id}/results`);
    const read = results.text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { line: number; status: string });
    expect(read.map(({ line }) => line).sort((a, b) => a - b)).toEqual(
      Array.from({ length: count }, (_, n) => n + 1),
    );
    expect(read.filter(({ status }) => status === 'completed')).toHaveLength(Number(completed));
    expect(results.headers['Link']).toBeUndefined();
    expectOneEvent(id);
    return { completed: Number(completed), status: batch['status'] };
  }

  /** An event may arrive twice, under one id. */
  function expectOneEvent(id: string) {
    const events = world.received.filter(({ url, body }) => url === HOOK && body.includes(id));
    expect(new Set(events.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  }

  return { world, service, key, dying, get, recover, usage, settled, expectOneEvent };
}

async function openUpload(sent = lines, fields = {}) {
  const it = await open();
  const { world, service, key, get, settled, expectOneEvent } = it;
  const { json } = await service.post(BATCHES, key, { input: 'upload', webhook: HOOK, ...fields });
  const id = String(json['batch_id']);
  world.uploads.send(String(json['upload_url']), sent);
  return {
    ...it,
    act: (action: string, over = service) => over.ask(`${BATCHES}/${id}/${action}`, { method: 'POST', key }),
    shown: async () => (await get(`/${id}`)).json,
    expectSettled: () => settled(id, SIZE + 1),
    expectOneEvent: () => expectOneEvent(id),
  };
}

type Opened = Awaited<ReturnType<typeof open>>;
type World = Awaited<ReturnType<typeof openUpload>>;

describe('an upload is exact', { timeout: 60_000 }, () => {
  test('whichever call its start dies at, if that is repeated', async () => {
    await atEveryCall(openUpload, async ({ dying, act, recover, expectSettled }, death) => {
      const process = dying(death);
      await act('start', process).catch(() => undefined);
      expect((await act('start')).status).toBe(200);
      await recover();
      expect(await expectSettled()).toEqual({ completed: SIZE - 1, status: 'completed' });
      return process.hasDied();
    });
  });

  test('whichever call the worker that reads it dies at', async () => {
    await atEveryCall(openUpload, async ({ world, dying, act, recover, expectSettled }, death) => {
      await act('start');
      const worker = dying(death);
      await worker.work(world.queue.take()).catch(() => undefined);
      await recover();
      expect(await expectSettled()).toEqual({ completed: SIZE - 1, status: 'completed' });
      return worker.hasDied();
    });
  });

  test('whichever call the worker that runs its lines dies at', async () => {
    const story = async ({ world, service, dying, act, recover, expectSettled }: World, death: Death) => {
      await act('start');
      await service.work();
      const worker = dying(death);
      await worker.work(world.queue.take()).catch(() => undefined);
      await recover();
      expect(await expectSettled()).toEqual({ completed: SIZE - 1, status: 'completed' });
      return worker.hasDied();
    };
    // All lines make the same calls.
    await atEveryCall(openUpload, story, extent(5, 1));
  });

  test('whichever call a worker stalls at while others continue', async () => {
    for (const isDone of [false, true])
      for (let call = extent(4, 1); call < 60; call += extent(11, 1)) {
        const { world, service, dying, act, recover, expectSettled } = await openUpload();
        await act('start');
        await service.work();
        const gate = Promise.withResolvers<undefined>();
        const stalled = dying({ call, isDone, stall: () => gate.promise }).work(world.queue.take());
        await recover();
        gate.resolve(undefined);
        await stalled;
        await recover();
        expect(await expectSettled()).toEqual({ completed: SIZE - 1, status: 'completed' });
      }
  });

  test('whichever call its cancel dies at, and the sweep after it', async () => {
    await atEveryCall(openUpload, async ({ service, dying, act, recover, expectSettled }, death) => {
      await act('start');
      await service.work();
      const process = dying(death);
      await act('cancel', process).catch(() => undefined);
      const sweeper = dying(death);
      await sweeper.sweepBatches().catch(() => undefined);
      await recover();
      await expectSettled();
      return process.hasDied();
    });
  });

  test.each([
    ['without a request', '\n \n', {}, 'completed'],
    ['that is refused', lines, { max_credits: 1 }, 'cancelled'],
  ])('%s ends and says so, whichever call its reader dies at', async (_, sent, fields, status) => {
    for (const isDone of [false, true])
      for (let call = 1; call < 30; call += extent(3, 1)) {
        const { world, dying, act, recover, shown, expectOneEvent } = await openUpload(sent, fields);
        await act('start');
        const reader = dying({ call, isDone });
        await reader.work(world.queue.take()).catch(() => undefined);
        await recover();
        const { status: seen, completed_at: completedAt } = await shown();
        expect([seen, completedAt]).toEqual([status, expect.any(String)]);
        expectOneEvent();
        if (!reader.hasDied()) break;
      }
  });
});

/** Its requests are then read and run as an upload's. */
test('a batch is exact whichever call its submit dies at, with and without a repeat', async () => {
  const body = { requests: requests.slice(0, FEW), webhook: HOOK };
  const story = async (
    { world, service, key, dying, get, recover, usage, settled }: Opened,
    death: Death,
  ) => {
    const process = dying(death);
    const headers = { 'Idempotency-Key': 'a' };
    const first = await process.post(BATCHES, key, body, headers).catch(() => undefined);
    const isLost = first?.status !== 202;
    world.pass(MINUTE_MS);
    const again = isLost ? await service.post(BATCHES, key, body, headers) : first;
    expect(again.status).toBe(202);
    await recover();
    await settled(String(again.json['batch_id']), FEW);
    expect(((await get('')).json['data'] as unknown[]).length).toBe(1);

    const unkeyed = await open();
    await unkeyed
      .dying(death)
      .post(BATCHES, unkeyed.key, body)
      .catch(() => undefined);
    await unkeyed.recover();
    const [batch] = (await unkeyed.get('')).json['data'] as { batch_id: string }[];
    if (batch) await unkeyed.settled(batch.batch_id, FEW);
    else expect([unkeyed.world.chunks.all(), (await unkeyed.usage()).credits.used]).toEqual([[], 0]);
    expect((await usage()).slots.inUse).toEqual({});
    return process.hasDied();
  };
  await atEveryCall(open, story, extent(3, 1));
});

test('a dead worker leaves no slot behind, whichever call the sweeper then dies at', async () => {
  const story = async ({ world, service, key, dying, usage, recover, settled }: Opened, death: Death) => {
    const late = Promise.withResolvers<Page>();
    world.web[urlOf(0)] = () => late.promise;
    const batch = { requests: requests.slice(0, FEW), webhook: HOOK };
    const { json } = await service.post(BATCHES, key, batch);
    const working = service.work();
    await expect.poll(async () => Object.keys((await usage()).slots.inUse)).not.toEqual([]);
    world.pass(MINUTES * MINUTE_MS);
    world.web[urlOf(0)] = page('page 0');
    const { sweepChunks, hasDied } = dying(death);
    await sweepChunks().catch(() => undefined);
    await recover();
    late.resolve(page('late'));
    await working;
    await settled(String(json['batch_id']), FEW);
    return hasDied();
  };
  await atEveryCall(open, story, extent(3, 1));
});

test('a worker that cannot store its results leaves no slot behind, whichever call it then dies at', async () => {
  const story = async ({ world, service, key, recover, settled }: Opened, death: Death) => {
    const batch = { requests: requests.slice(0, FEW), webhook: HOOK };
    const { json } = await service.post(BATCHES, key, batch);
    const put = () => Promise.reject(new Error('down'));
    const { hasDied, ...ports } = mortal({ ...world, results: { ...world.results, put } }, death);
    const { work } = serviceOver({ ...ports, web: world.web, pass: world.pass });
    await work(world.queue.take()).catch(() => undefined);
    await recover();
    await settled(String(json['batch_id']), FEW);
    return hasDied();
  };
  await atEveryCall(open, story, extent(3, 1));
});
