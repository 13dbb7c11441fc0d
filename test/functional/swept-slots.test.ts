import { beforeEach, expect, test } from 'vitest';
import type { Page } from '../../shared/contract/scrape/page.ts';
import { AppError } from '../../shared/errors.ts';
import {
  asNewOrganization,
  JOBS,
  key,
  newServiceEachTest,
  orgId,
  service,
  shown,
  submitJob,
  usage,
  world,
} from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const URL = 'https://example.com/';
const HOOK = 'https://hooks.example/in';
const MINUTE_MS = 60_000;
const NOTHING = { failed: 0, resent: 0, settled: 0, owned: 0 };
/** The timeout of the jobs, and 20 seconds. */
const LEASE_MS = 30_000;

newServiceEachTest({ overrides: { concurrency: 1, credits: 100 } });
beforeEach(() => {
  world.answers[HOOK] = 204;
});

const submit = (fields = {}) => submitJob({ url: URL, timeout: 10_000, ...fields });

const lines = () => world.activity.lines(orgId, { from: '2026', to: '2027', limit: 100 });
const isListed = async () => (await world.waitList.list()).some((it) => it.orgId === orgId);

/** Takes the message, and stays in the scrape until its page is given. */
async function workOn(id: string) {
  const { promise, resolve, reject } = Promise.withResolvers<Page>();
  const { fencingToken = 0 } = (await world.jobs.find(id)) ?? {};
  world.web[URL] = () => promise;
  const done = service.work([id]);
  await expect.poll(() => world.jobs.find(id)).toMatchObject({ fencingToken: fencingToken + 1, slot: SLOT });
  return {
    give: (given: Page) => (resolve(given), done),
    fail: (error: AppError) => (reject(error), done),
  };
}
const SLOT = expect.stringContaining('~') as string;

test('the sweeper records and charges a job whose worker died once it had ended, once', async () => {
  const id = await submit({ webhook: HOOK });
  world.web[URL] = page('hello');
  const { record } = world.activity;
  world.activity.record = () => Promise.reject(new Error('died'));
  await service.work();
  world.activity.record = record;
  expect(await shown(id)).toMatchObject({ status: 'completed', credits_used: 1 });
  expect(Object.keys((await usage()).slots.inUse)).toHaveLength(1);

  world.pass(9_000);
  expect(await service.sweep()).toEqual(NOTHING);
  world.pass(1_000);
  expect(await service.sweep()).toEqual({ ...NOTHING, settled: 1 });
  expect(await usage()).toMatchObject({ credits: { used: 1, available: 99 }, slots: { inUse: {} } });
  expect((await lines()).map(({ line }) => line.id)).toEqual([id]);
  await service.notify();
  expect(world.received.filter(({ url }) => url === HOOK)).toHaveLength(1);

  // A message that arrives once more finds nothing to do.
  const [recorded] = await lines();
  await service.work([id]);
  expect(await service.sweep()).toEqual(NOTHING);
  expect(await usage()).toMatchObject({ credits: { used: 1, available: 99 }, slots: { inUse: {} } });
  expect(await lines()).toEqual([recorded]);
});

test('the sweeper frees a slot that an earlier owner left behind', async () => {
  const id = await submit();
  await workOn(id);
  world.pass(LEASE_MS);
  // The next worker dies before it frees the slot of the one before.
  const { settle } = world.usage;
  world.usage.settle = () => new Promise<never>(() => undefined);
  void service.work([id]);
  await expect.poll(() => world.jobs.find(id)).toMatchObject({ fencingToken: 2 });
  world.usage.settle = settle;
  await service.sweep();
  expect(Object.keys((await usage()).slots.inUse)).toHaveLength(1);
  world.pass(LEASE_MS);
  await service.sweep();
  expect(await usage()).toMatchObject({ credits: { used: 0, available: 100 }, slots: { inUse: {} } });
});

test('the sweeper sends a job again whose message was lost after its submit had taken a slot', async () => {
  const id = await submit();
  expect(world.queue.take()).toHaveLength(1);
  expect(await usage()).toMatchObject({ credits: { available: 99 } });
  world.pass(MINUTE_MS - 1_000);
  expect(await service.sweep()).toEqual(NOTHING);
  world.pass(1_000);
  expect(await service.sweep()).toEqual({ ...NOTHING, resent: 1 });
  expect(await usage()).toMatchObject({ credits: { available: 100 }, slots: { inUse: {} } });
  world.web[URL] = page('hello');
  await service.work();
  expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 1 });
  expect(await usage()).toMatchObject({ credits: { used: 1, available: 99 }, slots: { inUse: {} } });
});

test('the sweeper frees a slot whose submit died before it stored the job', async () => {
  const { create } = world.jobs;
  world.jobs.create = () => Promise.reject(new Error('died'));
  expect((await service.post(JOBS, key, { url: URL })).status).toBe(500);
  world.jobs.create = create;
  world.pass(5 * MINUTE_MS);
  await service.sweep();
  expect(Object.keys((await usage()).slots.inUse)).toHaveLength(1);
  world.pass(MINUTE_MS);
  await service.sweep();
  expect(await usage()).toMatchObject({ credits: { used: 0, available: 100 }, slots: { inUse: {} } });
});

test('the sweeper frees a slot in which a job did not begin, and lets its worker begin no more', async () => {
  const id = await submit();
  // Its next attempt needs a slot of its own.
  world.queue.take();
  world.pass(MINUTE_MS);
  await service.sweep();
  const { replace } = world.jobs;
  const late = Promise.withResolvers<undefined>();
  world.jobs.replace = async (before, after) => {
    if (after.status === 'running') await late.promise;
    return replace(before, after);
  };
  const working = service.work();
  await expect.poll(async () => Object.keys((await usage()).slots.inUse)).toHaveLength(1);
  world.pass(MINUTE_MS - 1_000);
  await service.sweep();
  expect(Object.keys((await usage()).slots.inUse)).toHaveLength(1);
  world.pass(1_000);
  await service.sweep();
  expect(await usage()).toMatchObject({ credits: { used: 0, available: 100 }, slots: { inUse: {} } });
  late.resolve(undefined);
  await working;
  expect(await shown(id)).toMatchObject({ status: 'pending', attempts: 0 });
  world.web[URL] = page('at last');
  await service.work([id]);
  expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 1 });
  expect(await usage()).toMatchObject({ credits: { used: 1, available: 99 }, slots: { inUse: {} } });
});

test('the sweeper looks at an organization while its jobs have slots, and for ten minutes after its last note', async () => {
  expect(await isListed()).toBe(false);
  const id = await submit();
  const worker = await workOn(id);
  expect(await isListed()).toBe(true);
  world.pass(11 * MINUTE_MS);
  await service.sweepBacklogs();
  expect([await isListed(), (await usage()).waiting.isListed]).toEqual([true, true]);
  await worker.give(page('done'));
  world.pass(11 * MINUTE_MS);
  await service.sweepBacklogs();
  expect(await isListed()).toBe(false);
  const again = await submit();
  await workOn(again);
  expect(await isListed()).toBe(true);
});

test('a job whose message comes twice begins once in the slot of its submit', async () => {
  const id = await submit();
  const found = Promise.withResolvers<undefined>();
  const { replace } = world.jobs;
  let starts = 0;
  world.jobs.replace = async (before, after) => {
    if (after.status === 'running' && ++starts === 2) found.resolve(undefined);
    if (after.status === 'running') await found.promise;
    return replace(before, after);
  };
  let fetched = 0;
  world.web[URL] = () => {
    fetched += 1;
    return Promise.resolve(page('hello'));
  };
  await Promise.all([service.work([id]), service.work([id])]);
  expect([starts, fetched]).toEqual([2, 1]);
  expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 1, credits_used: 1 });
  expect(await usage()).toMatchObject({ credits: { used: 1, available: 99 }, slots: { inUse: {} } });
});

test('a repeated submit takes no second slot', async () => {
  await asNewOrganization({ overrides: { concurrency: 2, credits: 1 } });
  const send = () => service.post(JOBS, key, { url: URL }, { 'Idempotency-Key': 'once' });
  const [first, again] = [await send(), await send()];
  expect([first.status, again.status]).toEqual([202, 202]);
  expect(again.json).toEqual(first.json);
  expect(Object.keys((await usage()).slots.inUse)).toHaveLength(1);
});

test('a job that is cancelled before a worker begins it gives up the slot of its submit', async () => {
  const id = await submit();
  const cancelled = await service.post(`${JOBS}/${id}/cancel`, key, {});
  expect(cancelled.json).toMatchObject({ status: 'failed', error_code: 'cancelled' });
  expect(await usage()).toMatchObject({ credits: { used: 0, available: 100 }, slots: { inUse: {} } });
  await service.work([id]);
  expect(await usage()).toMatchObject({ credits: { used: 0, available: 100 }, slots: { inUse: {} } });
  expect(await service.sweep()).toEqual(NOTHING);
});

test('an endpoint that is created while a job runs receives its event', async () => {
  const id = await submit();
  const worker = await workOn(id);
  await service.post('/api/v1/webhooks', key, { url: HOOK, events: ['job.completed'] });
  await worker.give(page('done'));
  await service.notify();
  expect(world.received.filter(({ body }) => body.includes(id))).toHaveLength(1);
});

test('a job in a slot is not due, and a job that waits for its next attempt is', async () => {
  const id = await submit();
  const worker = await workOn(id);
  const dueLater = async () => {
    const { jobs } = await world.jobs.due(new Date(world.now().getTime() + 60 * MINUTE_MS), 100);
    return jobs.map((job) => job.id);
  };
  expect(await dueLater()).toEqual([]);
  await worker.fail(new AppError('connect_failed'));
  expect(await shown(id)).toMatchObject({ status: 'running', attempts: 1 });
  expect(await dueLater()).toEqual([id]);
  expect((await usage()).slots.inUse).toEqual({});
});
