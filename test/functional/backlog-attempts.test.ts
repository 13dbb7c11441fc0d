import { expect, test } from 'vitest';
import type { Page } from '../../shared/contract/scrape/page.ts';
import { AppError } from '../../shared/errors.ts';
import { setStatus, updateOrganization } from '../../shared/use-cases/accounts/manage-organizations.ts';
import {
  asNewOrganization,
  JOBS,
  key,
  newServiceEachTest,
  organization,
  orgId,
  service,
  shown,
  submitJob,
  usage,
  world,
} from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const URL = 'https://example.com/';
/** The timeout of the jobs, and 20 seconds. */
const LEASE_MS = 30_000;

newServiceEachTest({ overrides: { concurrency: 1, credits: 100 } });

const cancel = (id: string) => service.ask(`${JOBS}/${id}/cancel`, { method: 'POST', key });
const slots = async () => Object.keys((await usage()).slots.inUse);

const submit = (fields = {}) => submitJob({ url: URL, timeout: 10_000, ...fields });

/** A job of the backlog, although a slot is free. */
async function waiting(): Promise<string> {
  const slot = { id: 'other', until: new Date(world.now().getTime() + 60_000) };
  await world.usage.admit(await organization(), { credits: 0, slot }, world.now());
  const id = await submit();
  await world.usage.settle(await organization(), { slotId: slot.id, held: 0 }, world.now());
  return id;
}

/** A job of the backlog that has a slot and waits for its page. */
async function started(fields = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<Page>();
  const gate = Promise.withResolvers<undefined>();
  let fetches = 0;
  world.web[URL] = async (signal) => {
    fetches += 1;
    signal.addEventListener('abort', () => reject(signal.reason as Error));
    if (fetches > 1) return promise;
    await gate.promise;
    return page('first');
  };
  await submit();
  const working = service.work();
  await expect.poll(() => fetches).toBe(1);
  const id = await submit(fields);
  const before = await world.jobs.find(id);
  gate.resolve(undefined);
  await expect.poll(() => fetches).toBe(2);
  return {
    id,
    /** As it waited. */
    before,
    give: (given: Page) => (resolve(given), working),
    fail: (error: AppError) => (reject(error), working),
    working,
  };
}

test('a job of the backlog is in progress once it has begun in a slot, as its item says', async () => {
  const { id, give } = await started({ tags: ['a'] });
  expect(await world.jobs.find(id)).toMatchObject({ status: 'running', slot: (await slots())[0] });
  const running = await shown(id);
  expect(running).toMatchObject({ status: 'running', attempts: 1 });
  const listed = async (status: string) => (await service.ask(`${JOBS}?status=${status}`, { key })).json.data;
  expect(await listed('running')).toEqual([running]);
  expect(await listed('pending')).toEqual([]);
  const result = await service.ask(`${JOBS}/${id}/result`, { key });
  expect(result.json).toMatchObject({ code: 'job_not_finished', status: 'running' });

  world.pass(100);
  await give(page('second'));
  const { started_at: startedAt } = running;
  expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 1, started_at: startedAt });
  expect(await usage()).toMatchObject({ credits: { used: 2, available: 98 }, slots: { inUse: {} } });
});

test('its status, for its organization and for another one, costs one read', async () => {
  const { id, give } = await started();
  const next = await submit();
  const own = key;
  const { key: other } = await service.organization();
  const { find } = world.jobs;
  let finds = 0;
  world.jobs.find = async (each) => ((finds += 1), find(each));
  const readsOf = async (each: string, by: string) => {
    finds = 0;
    const { status } = await service.ask(`${JOBS}/${each}`, { key: by });
    return [status, finds];
  };
  for (const each of [id, next]) {
    expect(await readsOf(each, own)).toEqual([200, 1]);
    expect(await readsOf(each, other)).toEqual([404, 1]);
  }
  expect(await readsOf('00000000-0000-7000-8000-000000000000', own)).toEqual([404, 1]);
  world.jobs.find = find;
  await give(page('second'));
});

test('a request that must not be repeated is noted before it is sent', async () => {
  const { id, give } = await started({ method: 'POST', body: 'once' });
  expect(await world.jobs.find(id)).toMatchObject({ status: 'running', maybeSent: true });
  await give(page('second'));
  expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 1 });
});

test('an attempt that fails for now is counted, and the next one has a result of its own', async () => {
  const { id, fail } = await started();
  await fail(new AppError('connect_failed'));
  expect(await shown(id)).toMatchObject({ status: 'running', attempts: 1 });
  expect(await shown(id)).toHaveProperty('next_attempt_at');
  expect(await world.jobs.find(id)).toMatchObject({ fencingToken: 3 });
  expect(await slots()).toEqual([]);
  world.pass(60_000);
  world.web[URL] = page('at last');
  await service.work();
  expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 2 });
  expect(await usage()).toMatchObject({ credits: { used: 2, available: 98 }, slots: { inUse: {} } });
});

test('the attempts of workers that die are counted, and the last one fails the job', async () => {
  const { id } = await started();
  world.web[URL] = () => new Promise<never>(() => undefined);
  for (const attempts of [1, 2, 3]) {
    await expect.poll(() => shown(id)).toMatchObject({ status: 'running', attempts });
    expect(await slots()).toHaveLength(1);
    world.pass(LEASE_MS - 1_000);
    expect(await service.sweep()).toMatchObject({ resent: 0, failed: 0 });
    world.pass(1_000);
    expect(await service.sweep()).toMatchObject({ resent: 1 });
    expect(await slots()).toEqual([]);
    void service.work();
  }
  const failed = { status: 'failed', error_code: 'attempts_exhausted', attempts: 3 };
  await expect.poll(() => shown(id)).toMatchObject(failed);
  expect(await usage()).toMatchObject({ credits: { used: 1, available: 99 }, slots: { inUse: {} } });
});

test('a worker that is too late loses its page, and nothing else', async () => {
  const { id, give } = await started();
  world.pass(LEASE_MS);
  await service.sweep();
  await give(page('too late'));
  expect(await shown(id)).toMatchObject({ status: 'running', attempts: 1, credits_used: 0 });
  world.web[URL] = page('in time');
  await service.work([id]);
  expect((await service.ask(`${JOBS}/${id}/result`, { key })).text).toBe('in time');
  expect(await usage()).toMatchObject({ credits: { used: 2, available: 98 }, slots: { inUse: {} } });
});

test('its cancel settles its slot, and its worker stops', async () => {
  const { id, working } = await started();
  expect((await cancel(id)).json).toMatchObject({ status: 'failed', attempts: 1 });
  expect(await usage()).toMatchObject({ credits: { used: 1, available: 99 }, slots: { inUse: {} } });
  await working;
  expect(await usage()).toMatchObject({ credits: { used: 1, available: 99 }, slots: { inUse: {} } });
  expect(await shown(id)).toMatchObject({ status: 'failed', error_code: 'cancelled', credits_used: 0 });
});

test('a cancel whose process died leaves the slot to the sweeper, which counts it', async () => {
  const { id, working } = await started();
  const { settle } = world.usage;
  world.usage.settle = () => Promise.reject(new Error('died'));
  await cancel(id);
  world.usage.settle = settle;
  await working;
  expect(await slots()).toHaveLength(1);
  world.pass(10_000);
  expect(await service.sweep()).toMatchObject({ settled: 1 });
  expect(await usage()).toMatchObject({ credits: { used: 1, available: 99 }, slots: { inUse: {} } });
});

test('a page that comes after its cancel is discarded', async () => {
  const { id, give } = await started();
  const { put } = world.results;
  world.results.put = async (...args) => {
    await cancel(id);
    return put(...args);
  };
  await give(page('second'));
  expect(await shown(id)).toMatchObject({ status: 'failed', error_code: 'cancelled', credits_used: 0 });
  expect(await usage()).toMatchObject({ credits: { used: 1, available: 99 }, slots: { inUse: {} } });
});

test('a job that was cancelled while its slot was taken is left alone', async () => {
  let fetches = 0;
  world.web[URL] = async () => {
    fetches += 1;
    return Promise.resolve(page('hello'));
  };
  const id = await waiting();
  const { admit } = world.usage;
  world.usage.admit = async (admitted, request, now) => {
    if (request.bucket === undefined) await cancel(id);
    return admit(admitted, request, now);
  };
  await service.work([{ orgId }]);
  expect(fetches).toBe(0);
  expect(await usage()).toMatchObject({ credits: { used: 0, available: 100 }, slots: { inUse: {} } });
});

test('the end of its time ends it, once its worker had the time for that', async () => {
  const { id } = await started({ complete_within: 60, timeout: 60_000 });
  world.pass(60_000);
  expect(await service.sweepBacklogs()).toEqual({ woken: 0, overdue: 0 });
  expect(await shown(id)).toMatchObject({ status: 'running' });
  world.pass(20_000);
  expect(await service.sweep()).toMatchObject({ failed: 1 });
  expect(await shown(id)).toMatchObject({ status: 'failed', error_code: 'deadline_exceeded', attempts: 1 });
  expect(await usage()).toMatchObject({ credits: { used: 1, available: 99 }, slots: { inUse: {} } });
});

test('a message that comes for it meanwhile waits until its worker must have ended', async () => {
  const { id } = await started();
  expect(Object.values((await service.work([id])).postponed)).toEqual([30]);
  expect(await service.bury([id])).toBe(0);
  expect(await slots()).toHaveLength(1);
  expect(await shown(id)).toMatchObject({ status: 'running', attempts: 1 });
});

test('the sweeper starts no worker for jobs that have slots', async () => {
  const { working, give } = await started();
  await world.organizations.save({ ...(await organization()), overrides: { concurrency: 3 } });
  expect(await service.sweepBacklogs()).toEqual({ woken: 0, overdue: 0 });
  const waiting = await submit();
  await give(page('second'));
  await working;
  await service.work();
  expect(await shown(waiting)).toMatchObject({ status: 'completed' });
});

/** Two workers have read a backlog of one job before either has a slot. `late`: one waits for the other. */
async function chosenTwice({ late = false } = {}) {
  const { promise, resolve } = Promise.withResolvers<Page>();
  let fetches = 0;
  world.web[URL] = () => ((fetches += 1), promise);
  const id = await waiting();
  const { overrides } = await organization();
  await updateOrganization(world, orgId, { overrides: { ...overrides, concurrency: 3 } });
  const list = world.jobs.waiting;
  const both = Promise.withResolvers<undefined>();
  let reads = 0;
  world.jobs.waiting = async (backlog, range) => {
    const listed = await list(backlog, range);
    if (++reads === 2) both.resolve(undefined);
    await both.promise;
    return listed;
  };
  const { replace } = world.jobs;
  const begins = Promise.withResolvers<undefined>();
  world.jobs.replace = async (before, after) => {
    if (after.status === 'running') await begins.promise;
    return replace(before, after);
  };
  if (!late) begins.resolve(undefined);
  const working = [service.work([{ orgId }]), service.work([{ orgId }])];
  // One has nothing to do, unless it fails the job.
  await Promise.race(working);
  begins.resolve(undefined);
  await expect.poll(() => fetches).toBe(1);
  return {
    id,
    fetches: () => fetches,
    give: (given: Page) => (resolve(given), Promise.all(working)),
  };
}

test('of two workers that choose the same job, the second one leaves it', async () => {
  const { give, fetches } = await chosenTwice();
  expect(await slots()).toHaveLength(1);
  await give(page('hello'));
  expect(fetches()).toBe(1);
  expect(await usage()).toMatchObject({ credits: { used: 1 }, slots: { inUse: {} } });
});

test('the second worker leaves it, even if no credits are left for its slot', async () => {
  await asNewOrganization({ overrides: { concurrency: 1, credits: 1 } });
  const { id, give } = await chosenTwice({ late: true });
  expect(await shown(id)).toMatchObject({ status: 'running' });
  await give(page('hello'));
  expect(await shown(id)).toMatchObject({ status: 'completed' });
  expect(await usage()).toMatchObject({ credits: { used: 1, available: 0 }, slots: { inUse: {} } });
});

test('a worker that chose it too late leaves it, even if its organization was suspended', async () => {
  const { id, before, give } = await started();
  if (before?.status !== 'pending') throw new Error('It did not wait.');
  await setStatus(world, orgId, 'suspended');
  const { waiting: list } = world.jobs;
  world.jobs.waiting = () => Promise.resolve([before]);
  await service.work([{ orgId }]);
  world.jobs.waiting = list;
  await setStatus(world, orgId, 'active');
  expect(await shown(id)).toMatchObject({ status: 'running', attempts: 1 });
  await give(page('second'));
  expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 1 });
});

/** A job whose first attempt has failed, and left its slot behind. It waits in the backlog again. */
async function leftBehind(): Promise<string> {
  const { settle } = world.usage;
  let isBusy = false;
  world.usage.settle = async (...args) => {
    if (isBusy) throw new AppError('busy');
    return settle(...args);
  };
  const { id, fail } = await started({ timeout: 60_000 });
  isBusy = true;
  await fail(new AppError('connect_failed'));
  isBusy = false;
  expect(await slots()).toHaveLength(1);
  world.pass(30_000);
  await service.work();
  expect(await world.jobs.find(id)).toMatchObject({ isWaiting: true, attempt: 1 });
  return id;
}

test('a slot that an earlier attempt has left behind is no attempt', async () => {
  const id = await leftBehind();
  expect(await shown(id)).toMatchObject({ status: 'running', attempts: 1 });
  world.pass(60_000);
  await service.sweep();
  expect(await slots()).toEqual([]);
  world.web[URL] = page('at last');
  await service.sweepBacklogs();
  await service.work();
  expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 2 });
  expect(await usage()).toMatchObject({ credits: { used: 2, available: 98 }, slots: { inUse: {} } });
});

test('the sweep of such a slot leaves the attempt in the next one alone', async () => {
  const id = await leftBehind();
  await world.organizations.save({ ...(await organization()), overrides: { concurrency: 2 } });
  const { promise, resolve } = Promise.withResolvers<Page>();
  world.web[URL] = () => promise;
  const working = service.work([{ orgId }]);
  await expect.poll(slots).toHaveLength(2);
  // A minute after the first slot was taken.
  world.pass(30_000);
  await service.sweep();
  expect(await slots()).toHaveLength(1);
  resolve(page('at last'));
  await working;
  expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 2 });
  expect(await slots()).toEqual([]);
});

test('a worker that read a job before it waited can neither start nor change it', async () => {
  const { id, before: stored, give } = await started();
  if (stored?.status !== 'pending') throw new Error('It did not wait.');
  const before = { ...stored, isWaiting: undefined, leaseUntil: undefined, fencingToken: 0 };
  const { find, due } = world.jobs;
  world.jobs.find = async () => {
    world.jobs.find = find;
    return Promise.resolve(before);
  };
  await world.organizations.save({ ...(await organization()), overrides: { concurrency: 3 } });
  // A message that came twice.
  await service.work([id]);
  world.jobs.due = async () => {
    world.jobs.due = due;
    return Promise.resolve({ jobs: [before], unreadable: [] });
  };
  await service.sweep();
  expect(await shown(id)).toMatchObject({ status: 'running', attempts: 1 });
  await give(page('second'));
  expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 1 });
  expect(await usage()).toMatchObject({ credits: { used: 2 }, slots: { inUse: {} } });
});
