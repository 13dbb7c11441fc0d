import { describe, expect, test } from 'vitest';
import { updateOrganization } from '../../shared/use-cases/accounts/manage-organizations.ts';
import { AppError } from '../../shared/errors.ts';
import { newService, serviceOver } from '../support/world/api.ts';
import { extent } from '../support/world/extent.ts';
import { atEveryCall, type Death, mortal } from '../support/world/mortal.ts';
import { page } from '../support/world/pages.ts';

const BATCHES = '/api/v1/scraper/batches';
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const numbered = (count: number) => Array.from({ length: count }, (_, n) => n + 1);
const urlOf = (n: number) => `https://example.com/${n}`;

/** An upload in one chunk, whose organization has these slots by the time it runs. */
async function open({ lines = 6, slots = 4, timeout = 30_000, credits = 100 } = {}) {
  const { world, service } = await newService();
  const { key, orgId } = await service.organization({ overrides: { concurrency: 1, credits } });
  const { json } = await service.post(BATCHES, key, { input: 'upload' });
  const path = `${BATCHES}/${String(json['batch_id'])}`;
  const requests = Array.from({ length: lines }, (_, n) => JSON.stringify({ url: urlOf(n), timeout }));
  world.uploads.send(String(json['upload_url']), requests.join('\n'));
  for (let n = 0; n < lines; n++) world.web[urlOf(n)] = page('quick');
  await service.ask(`${path}/start`, { method: 'POST', key });
  await service.work();
  await updateOrganization(world, orgId, { overrides: { concurrency: slots } });
  const begun: number[] = [];
  const fetched: number[] = [];
  const { fetchPage } = world;
  world.fetchPage = (request, context) => {
    fetched.push(Number(request.url.split('/').at(-1)));
    return fetchPage(request, context);
  };
  /** A line that takes longer than a second, until its gate opens. */
  const slow = (n: number, gate: Promise<unknown>) => {
    world.web[urlOf(n)] = async () => {
      begun.push(n);
      world.pass(SECOND_MS);
      await gate;
      return page('slow');
    };
  };
  const shown = async () => (await service.ask(path, { key })).json;
  const lineNumbers = async () => {
    const { text } = await service.ask(`${path}/results`, { key });
    const all = text.split('\n').filter(Boolean);
    return all.map((line) => (JSON.parse(line) as { line: number }).line).sort((a, b) => a - b);
  };
  const usage = async () => {
    const organization = await world.organizations.find(orgId);
    if (!organization) throw new Error('There is no organization.');
    return world.usage.read(organization, world.now());
  };
  return { world, service, key, orgId, path, begun, fetched, slow, shown, lineNumbers, usage };
}

type Opened = Awaited<ReturnType<typeof open>>;

test('slow lines of a batch hold back no line that a free slot could run', async () => {
  const { service, slow, begun, shown, lineNumbers, usage, fetched } = await open({ lines: 8, slots: 4 });
  const gate = Promise.withResolvers<undefined>();
  for (const n of [0, 1, 2]) slow(n, gate.promise);
  const working = service.work();
  await expect.poll(() => fetched.length).toBe(8);
  expect(begun).toEqual([0, 1, 2]);
  await expect.poll(async () => (await shown())['counts']).toMatchObject({ running: 3, pending: 5 });
  gate.resolve(undefined);
  await working;
  expect(await shown()).toMatchObject({ status: 'completed', counts: { completed: 8 }, credits_used: 8 });
  expect(await lineNumbers()).toEqual(numbered(8));
  expect(await usage()).toMatchObject({ credits: { used: 8, available: 92 }, slots: { inUse: {} } });
});

test('slow lines of a batch give back every slot as soon as the sweep takes them from a dead worker', async () => {
  const { world, service, slow, begun, usage } = await open({ lines: 3, slots: 3 });
  const gate = Promise.withResolvers<undefined>();
  for (let n = 0; n < 3; n++) slow(n, gate.promise);
  const working = service.work();
  await expect.poll(() => begun.length).toBe(3);
  const held = async () => Object.keys((await usage()).slots.inUse).length;
  for (let n = 0; n < 60 && (await held()) === 3; n++) {
    world.pass(5 * SECOND_MS);
    await service.sweepChunks();
  }
  expect(await held()).toBe(0);
  gate.resolve(undefined);
  await working;
});

test('slow lines of a batch take no more slots than the organization has', async () => {
  const { service, slow, begun, shown, usage } = await open({ lines: 6, slots: 3 });
  const gate = Promise.withResolvers<undefined>();
  for (let n = 0; n < 6; n++) slow(n, gate.promise);
  const working = service.work();
  await expect.poll(() => begun.length).toBe(3);
  expect(Object.keys((await usage()).slots.inUse)).toHaveLength(3);
  gate.resolve(undefined);
  await working;
  expect(await shown()).toMatchObject({ counts: { completed: 6 }, credits_used: 6 });
});

test('slow lines of a batch leave the slot of a line that has ended to a job that waits', async () => {
  const { world, service, key, slow, begun, shown } = await open({ lines: 2, slots: 2 });
  const gates = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
  for (const [n, { promise }] of gates.entries()) slow(n, promise);
  const working = service.work();
  await expect.poll(() => begun).toEqual([0, 1]);
  world.web[urlOf(9)] = page('job');
  const { json: job } = await service.post('/api/v1/scraper/jobs', key, { url: urlOf(9) });
  await service.work();
  const jobShown = async () =>
    (await service.ask(`/api/v1/scraper/jobs/${String(job['job_id'])}`, { key })).json;
  expect(await jobShown()).toMatchObject({ status: 'pending' });
  gates[1]?.resolve(undefined);
  await expect
    .poll(async () => {
      await service.work();
      return (await jobShown())['status'];
    })
    .toBe('completed');
  gates[0]?.resolve(undefined);
  await working;
  expect(await shown()).toMatchObject({ counts: { completed: 2 } });
});

test('slow lines of a batch hold back no line for which a slot is free only after the time of their turn', async () => {
  const { world, service, orgId, slow, begun, fetched, shown } = await open({
    lines: 5,
    slots: 2,
    timeout: 120_000,
  });
  const organization = await world.organizations.find(orgId);
  if (!organization) throw new Error('There is no organization.');
  const slot = { id: 'another scrape', until: new Date(world.now().getTime() + MINUTE_MS) };
  await world.usage.admit(organization, { credits: 1, slot }, world.now());
  const gate = Promise.withResolvers<undefined>();
  slow(0, gate.promise);
  const working = service.work();
  await expect.poll(() => begun).toEqual([0]);
  world.pass(40 * SECOND_MS);
  await world.usage.settle(organization, { slotId: slot.id, held: 1 }, world.now());
  await expect.poll(() => fetched.length).toBe(5);
  gate.resolve(undefined);
  await working;
  expect(await shown()).toMatchObject({ status: 'completed', counts: { completed: 5 } });
});

test('slow lines of a batch that a stopping worker leaves behind are run by another one, and no other line again', async () => {
  const { service, slow, begun, fetched, shown, lineNumbers } = await open({ lines: 6, slots: 3 });
  const stop = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(new AppError('cancelled')));
  });
  for (const n of [0, 2]) slow(n, stopped);
  const working = service.work(undefined, stop);
  await expect.poll(() => fetched.length).toBe(6);
  stop.abort();
  await working;
  expect(await shown()).toMatchObject({ counts: { completed: 4, pending: 2 }, credits_used: 4 });
  for (const n of [0, 2]) slow(n, Promise.resolve());
  await service.sweepBacklogs();
  await service.work();
  expect(begun).toEqual([0, 2, 0, 2]);
  expect(fetched.toSorted()).toEqual([0, 0, 1, 2, 2, 3, 4, 5]);
  expect(await shown()).toMatchObject({ status: 'completed', counts: { completed: 6 }, credits_used: 6 });
  expect(await lineNumbers()).toEqual(numbered(6));
});

test('slow lines of a batch end when the batch is cancelled, and no other line begins', async () => {
  const { world, service, key, path, slow, begun, shown, usage } = await open({ lines: 6, slots: 3 });
  const gate = Promise.withResolvers<undefined>();
  for (let n = 0; n < 6; n++) slow(n, gate.promise);
  const working = service.work();
  await expect.poll(() => begun.length).toBe(3);
  await service.ask(`${path}/cancel`, { method: 'POST', key });
  world.pass(SECOND_MS);
  gate.resolve(undefined);
  await working;
  const counts = { completed: 3, failed: 3, pending: 0, running: 0 };
  expect(await shown()).toMatchObject({ status: 'cancelled', counts, credits_used: 3 });
  expect(await usage()).toMatchObject({ credits: { used: 3 }, slots: { inUse: {} } });
});

describe('lines in several slots are run, counted and charged once', { timeout: 60_000 }, () => {
  const LINES = 5;
  const SLOW = [0, 1];

  /** Two slow lines, and quick ones in a third slot. The slow ones end once nothing else happens. */
  async function story(opened: Opened, death: Death): Promise<boolean> {
    const { world, slow, fetched, shown, lineNumbers, usage } = opened;
    const gate = Promise.withResolvers<undefined>();
    for (const n of SLOW) slow(n, gate.promise);
    const stalled = Promise.withResolvers<undefined>();
    let isIdle = false;
    const stall =
      death.stall &&
      (() => {
        isIdle = true;
        return stalled.promise;
      });
    const { hasDied, ...ports } = mortal(world, { ...death, ...(stall && { stall }) });
    const worker = serviceOver({ ...ports, web: world.web, pass: world.pass });
    const working = worker.work(world.queue.take()).catch(() => undefined);
    void working.then(() => (isIdle = true));
    await expect.poll(() => isIdle || hasDied() || fetched.length === LINES, { interval: 10 }).toBe(true);
    gate.resolve(undefined);
    if (!stall) await working;
    await recover(opened);
    stalled.resolve(undefined);
    await working;
    await recover(opened);
    const counts = { total: LINES, completed: LINES, charged: LINES, pending: 0, running: 0 };
    expect(await shown()).toMatchObject({ status: 'completed', counts, credits_used: LINES });
    expect(await lineNumbers()).toEqual(numbered(LINES));
    expect(await usage()).toMatchObject({
      credits: { used: LINES, available: 100 - LINES },
      slots: { inUse: {} },
    });
    return hasDied();
  }

  /** Lets time pass without deaths until nothing is left to do. */
  async function recover({ world, service }: Opened): Promise<void> {
    for (let minute = 0; minute < 6; minute++) {
      for (const sweep of [service.sweepChunks, service.sweepBacklogs]) await sweep();
      await service.work();
      world.pass(MINUTE_MS);
    }
  }

  test('at whichever call their worker dies', async () => {
    await atEveryCall(() => open({ lines: LINES, slots: 3 }), story, extent(3, 1));
  });

  test('at whichever call their worker stalls while others continue', async () => {
    for (const isDone of [false, true])
      for (let call = extent(9, 1); call < 60; call += extent(11, 1)) {
        const opened = await open({ lines: LINES, slots: 3 });
        await story(opened, { call, isDone, stall: () => Promise.resolve() });
      }
  });
});
