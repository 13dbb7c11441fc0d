import { expect, test } from 'vitest';
import { setStatus } from '../../shared/use-cases/accounts/manage-organizations.ts';
import { AppError } from '../../shared/errors.ts';
import { JOBS, key, newServiceEachTest, orgId, service, shown, world } from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const URL = 'https://example.com/';
const MINUTE_MS = 60_000;

newServiceEachTest({ overrides: { concurrency: 2, rpm: 1_000 } });

const submit = async (fields = {}) => {
  world.pass(10);
  return String((await service.post(JOBS, key, { url: URL, ...fields })).json.job_id);
};
const statuses = async () => {
  const { data } = (await service.ask(`${JOBS}?limit=100`, { key })).json as { data: { status: string }[] };
  return Object.groupBy(data, ({ status }) => status);
};

/** Pages that arrive when `finish` is called, and how many were fetched at the same time. */
function slowPages() {
  const gate = Promise.withResolvers<undefined>();
  const fetched = { now: 0, most: 0, order: [] as string[] };
  const get = (name: string) => async () => {
    fetched.most = Math.max(fetched.most, (fetched.now += 1));
    fetched.order.push(name);
    await gate.promise;
    fetched.now -= 1;
    return page('hello');
  };
  world.web[URL] = get(URL);
  return { ...gate, fetched, get, finish: () => gate.resolve(undefined) };
}

/** Two jobs that hold both slots of the organization until their pages arrive. */
async function holdSlots() {
  const pages = slowPages();
  const ids = [await submit(), await submit()];
  const working = service.work();
  await expect.poll(() => pages.fetched.now).toBe(2);
  return { ...pages, ids, working };
}

test('jobs behind taken slots wait without a message, and run one after another in those slots', async () => {
  const { fetched, finish, working } = await holdSlots();
  for (let n = 0; n < 40; n++) await submit();
  expect(world.queue.take()).toEqual([]);
  for (let minute = 0; minute < 0.5; minute += 0.1) {
    world.pass(MINUTE_MS / 10);
    await service.sweep();
    await service.sweepBacklogs();
  }
  expect(world.queue.take()).toEqual([]);
  finish();
  await working;
  expect((await statuses()).completed).toHaveLength(42);
  expect(fetched.most).toBe(2);
  expect((await service.ask(JOBS, { key })).headers['X-Credits-Remaining']).toBe('958');
});

test('a second slot that a repeated message took is left to a job that waits', async () => {
  const { fetched, finish } = slowPages();
  const first = await submit();
  // Its submit took a slot, which the sweeper freed.
  world.queue.take();
  world.pass(MINUTE_MS);
  await service.sweep();
  const slotsNow = async () => {
    const organization = await world.organizations.find(orgId);
    return (
      organization && Object.keys((await world.usage.read(organization, world.now())).slots.inUse).length
    );
  };
  const { replace } = world.jobs;
  const begin = Promise.withResolvers<undefined>();
  world.jobs.replace = async (before, after) => {
    if (after.id === first && after.status === 'running') await begin.promise;
    return replace(before, after);
  };
  const working = [service.work([first]), service.work([first])];
  await expect.poll(slotsNow).toBe(2);
  const second = await submit();
  begin.resolve(undefined);
  // Without a sweep or a message.
  await expect.poll(() => fetched.now).toBe(2);
  finish();
  await Promise.all(working);
  for (const id of [first, second])
    expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 1 });
});

test('the earliest deadline is first', async () => {
  const { key: single } = await service.organization({ overrides: { concurrency: 1, rpm: 1_000 } });
  const pages = slowPages();
  await service.post(JOBS, single, { url: URL });
  const working = service.work();
  await expect.poll(() => pages.fetched.now).toBe(1);
  // More than a worker chooses among.
  for (let n = 0; n < 200; n++) {
    const isUrgent = n >= 100;
    const url = `https://${isUrgent ? 'urgent' : 'patient'}.example/${n}`;
    world.web[url] = pages.get(isUrgent ? 'urgent' : 'patient');
    await service.post(JOBS, single, { url, complete_within: isUrgent ? 600 : 6_000 });
  }
  pages.finish();
  await working;
  const { order } = pages.fetched;
  expect(order).toHaveLength(201);
  expect(new Set(order.slice(1, 7))).toEqual(new Set(['urgent']));
  expect(order.slice(1, 101).filter((name) => name === 'urgent').length).toBeGreaterThan(60);
});

test('a sync scrape that frees a slot starts a job in it', async () => {
  const one = await service.organization({ overrides: { concurrency: 1 } });
  const pages = slowPages();
  const sync = service.post(SCRAPE, one.key, { url: URL });
  await expect.poll(() => pages.fetched.now).toBe(1);
  const { job_id: id } = (await service.post(JOBS, one.key, { url: URL })).json;
  expect(world.queue.take()).toEqual([]);
  pages.finish();
  await sync;
  const woken = world.queue.take();
  expect(woken).toEqual([{ orgId: one.orgId }]);
  await world.queue.wake(one.orgId);
  await service.work();
  expect((await service.ask(`${JOBS}/${String(id)}`, { key: one.key })).json).toMatchObject({
    status: 'completed',
    attempts: 1,
  });
});

test('a job that waits does not become overdue unnoticed, and fails without a worker', async () => {
  const { ids } = await holdSlots();
  const waiting = [await submit({ complete_within: 60 }), await submit({ complete_within: 600 })];
  world.pass(61_000);
  expect(await service.sweepBacklogs()).toEqual({ overdue: 1, woken: 0 });
  expect(await shown(waiting[0] ?? '')).toMatchObject({
    status: 'failed',
    error_code: 'deadline_exceeded',
    attempts: 0,
  });
  expect(await shown(waiting[1] ?? '')).toMatchObject({ status: 'pending' });
  expect(await shown(ids[0] ?? '')).toMatchObject({ status: 'running' });
});

test('many overdue jobs fail in one sweep', async () => {
  await holdSlots();
  for (let n = 0; n < 250; n++) await submit({ complete_within: 60 });
  world.pass(70_000);
  expect(await service.sweepBacklogs()).toEqual({ overdue: 250, woken: 0 });
  expect((await service.ask(`${JOBS}?status=failed&limit=100`, { key })).json['data']).toHaveLength(100);
});

test('the sweeper wakes a backlog whose workers died, for each free slot', async () => {
  await holdSlots();
  const ids = [await submit({ complete_within: 86_400 }), await submit({ complete_within: 86_400 })];
  // The slots outlive their jobs' attempts by minutes.
  world.pass(40 * MINUTE_MS);
  await service.sweep();
  world.queue.take();
  world.web[URL] = page('at last');
  expect(await service.sweepBacklogs()).toEqual({ overdue: 0, woken: 2 });
  expect(world.queue.take()).toEqual([{ orgId }, { orgId }]);
  await world.queue.wake(orgId);
  await service.work();
  for (const id of ids) expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 1 });
});

test('a backlog that cannot be swept delays no other', async () => {
  await holdSlots();
  await submit({ complete_within: 60 });
  world.pass(61_000);
  const { list } = world.waitList;
  const { find } = world.organizations;
  world.waitList.list = async () => [{ orgId: 'broken', since: 0 }, ...(await list())];
  world.organizations.find = (id) =>
    id === 'broken' ? Promise.reject(new Error('cannot be read')) : find(id);
  await expect(service.sweepBacklogs()).rejects.toThrow('1 backlogs could not be moved on');
  expect((await statuses()).failed).toHaveLength(1);
});

test('a worker at the end of its time hands the backlog over', async () => {
  const { finish, working } = await holdSlots();
  const id = await submit();
  world.pass(MINUTE_MS);
  finish();
  await working;
  expect(await shown(id)).toMatchObject({ status: 'pending', attempts: 0 });
  expect(world.queue.take()).toContainEqual({ orgId });
});

test('a worker lets messages of others go first', async () => {
  const { get, finish, working } = await holdSlots();
  const ids: string[] = [];
  for (let n = 0; n < 20; n++) {
    world.web[`${URL}${n}`] = async () => {
      world.pass(1_000);
      return get('x')();
    };
    ids.push(await submit({ url: `${URL}${n}` }));
  }
  await world.queue.wake('another');
  finish();
  await working;
  const { completed = [], pending = [] } = await statuses();
  expect([completed.length > 2, pending.length > 0]).toEqual([true, true]);
  await service.work();
  expect((await statuses()).completed).toHaveLength(22);
});

test('a worker with a slow page continues the backlog after letting messages of others go first', async () => {
  const pages = slowPages();
  const slow = await submit();
  const quick = 'https://example.com/quick';
  world.web[quick] = async () => {
    await Promise.resolve();
    world.pass(600);
    return page('quick');
  };
  for (let n = 0; n < 8; n++) await submit({ url: quick });
  const working = service.work();
  // Messages that wait for a worker.
  for (let n = 0; n < 20; n++) await world.queue.wake('another organization');
  await expect.poll(async () => (await statuses())['completed']).toHaveLength(8);
  expect(await shown(slow)).toMatchObject({ status: 'running' });
  pages.finish();
  await working;
});

test('a job that fails for now leaves its slot to the next one, and comes back by a message', async () => {
  const { finish, working } = await holdSlots();
  world.web['https://down.example/'] = new AppError('connect_failed');
  const failing = await submit({ url: 'https://down.example/' });
  const next = await submit();
  finish();
  await working;
  expect(await shown(failing)).toMatchObject({
    status: 'running',
    attempts: 1,
    last_error: { code: 'connect_failed' },
  });
  expect(await shown(next)).toMatchObject({ status: 'completed' });
  expect(world.queue.take()).toEqual([{ jobId: failing }]);
});

test('a job that came by a message and fails for now leaves its slot to the backlog at once', async () => {
  const one = await service.organization({ overrides: { concurrency: 1 } });
  const gate = Promise.withResolvers<undefined>();
  world.web['https://down.example/'] = async () => {
    await gate.promise;
    throw new AppError('connect_failed');
  };
  const post = async (url: string) => String((await service.post(JOBS, one.key, { url })).json.job_id);
  const failing = await post('https://down.example/');
  const working = service.work();
  const job = async (id: string) => (await service.ask(`${JOBS}/${id}`, { key: one.key })).json;
  await expect.poll(() => job(failing)).toMatchObject({ status: 'running' });
  world.web[URL] = page('hello');
  const next = await post(URL);
  gate.resolve(undefined);
  expect(await working).toEqual({ postponed: { [failing]: 5 }, kept: [failing] });
  expect(await job(next)).toMatchObject({ status: 'completed' });
  expect(await job(failing)).toMatchObject({ status: 'running', attempts: 1 });
});

test('a rendered job that fails for now leaves its slot to the next rendered ones', async () => {
  const { finish, working } = await holdSlots();
  world.web['https://down.example/'] = new AppError('connect_failed');
  const failing: string[] = [];
  for (let n = 0; n < 8; n++) failing.push(await submit({ url: 'https://down.example/', render_js: true }));
  const next = await submit({ render_js: true });
  finish();
  await working;
  expect(await shown(next)).toMatchObject({ status: 'completed' });
  for (const id of failing) expect(await shown(id)).toMatchObject({ status: 'running', attempts: 1 });
});

test('a worker that cannot read the backlog still ends its jobs, and a sweep continues with it', async () => {
  const { ids, finish, working } = await holdSlots();
  const id = await submit();
  const { waiting } = world.jobs;
  world.jobs.waiting = () => Promise.reject(new AppError('busy'));
  finish();
  expect(await working).toEqual({ postponed: {}, kept: [] });
  for (const done of ids) expect(await shown(done)).toMatchObject({ status: 'completed' });
  expect(service.lines).toContainEqual(expect.objectContaining({ message: 'backlog', org_id: orgId }));
  world.jobs.waiting = waiting;
  expect(await service.sweepBacklogs()).toEqual({ overdue: 0, woken: 1 });
  await service.work();
  expect(await shown(id)).toMatchObject({ status: 'completed' });
});

test('while no browser is free, plain jobs continue, and rendered ones are not tried one by one', async () => {
  const { finish, working } = await holdSlots();
  world.web['https://app.example/'] = new AppError('busy');
  const rendered: string[] = [];
  for (let n = 0; n < 20; n++) rendered.push(await submit({ url: 'https://app.example/', render_js: true }));
  const plain = [await submit(), await submit()];
  finish();
  await working;
  for (const id of plain) expect(await shown(id)).toMatchObject({ status: 'completed' });
  for (const id of rendered) expect(await shown(id)).toMatchObject({ attempts: 0 });
  // One for each of the two slots.
  expect(world.queue.take().length).toBeLessThanOrEqual(2);
});

test('cancelling jobs that wait takes them out of the backlog', async () => {
  const { finish, working } = await holdSlots();
  const [kept, cancelled] = [await submit(), await submit()];
  await service.ask(`${JOBS}/${cancelled}/cancel`, { method: 'POST', key });
  finish();
  await working;
  expect(await shown(kept)).toMatchObject({ status: 'completed' });
  expect(await shown(cancelled)).toMatchObject({ error_code: 'cancelled', attempts: 0, credits_used: 0 });
});

test('the jobs of a suspended organization fail without being fetched', async () => {
  const { finish, working, fetched } = await holdSlots();
  const id = await submit();
  await setStatus(world, orgId, 'suspended');
  finish();
  await working;
  await setStatus(world, orgId, 'active');
  expect(await shown(id)).toMatchObject({ status: 'failed', error_code: 'organization_suspended' });
  expect(fetched.order).toHaveLength(2);
});

test("another organization's job starts at once", async () => {
  await holdSlots();
  for (let n = 0; n < 50; n++) await submit();
  const calm = await service.organization();
  world.web['https://calm.example/'] = page('calm');
  const { job_id: id } = (await service.post(JOBS, calm.key, { url: 'https://calm.example/' })).json;
  await service.work();
  const { json } = await service.ask(`${JOBS}/${String(id)}`, { key: calm.key });
  expect(json).toMatchObject({ status: 'completed' });
});

test('a sweep makes few calls, and starts nothing, however many jobs wait', async () => {
  await holdSlots();
  const made = { calls: 0 };
  const counted = <P extends object>(port: P): P =>
    new Proxy(port, {
      get(target, name): unknown {
        made.calls += 1;
        return Reflect.get(target, name);
      },
    });
  const { jobs, usage, waitList, batches, chunks } = world;
  Object.assign(world, {
    ...{ jobs: counted(jobs), usage: counted(usage), waitList: counted(waitList) },
    ...{ batches: counted(batches), chunks: counted(chunks) },
  });
  const callsOfSweep = async () => {
    made.calls = 0;
    expect(await service.sweepBacklogs()).toEqual({ overdue: 0, woken: 0 });
    return made.calls;
  };
  await submit();
  const before = await callsOfSweep();
  for (let n = 0; n < 300; n++) await submit();
  expect(await callsOfSweep()).toBe(before);
  expect(before).toBeLessThan(10);
  expect(world.queue.take()).toEqual([]);
});
