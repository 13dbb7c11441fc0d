import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { idBefore } from '../../shared/domain/accounts/credits/short-id.ts';
import { start } from '../../shared/domain/jobs/attempt.ts';
import { closed, complete, fail, release, withoutOwner, toBacklog } from '../../shared/domain/jobs/state.ts';
import type { IdempotencyClaim } from '../../shared/ports/jobs.ts';
import { emulatedWorld } from '../support/world/emulated-world.ts';
import { NOON, pendingJob } from '../support/world/jobs.ts';
import { describePorts } from '../support/world/ports.ts';

const LATER = new Date(NOON.getTime() + 60 * 60_000);

describePorts('jobs', (ports) => {
  test('returns a job unchanged', async () => {
    const job = pendingJob();
    expect(await ports().jobs.create(job)).toBe(true);
    expect(await ports().jobs.find(job.id)).toEqual(job);
    expect(await ports().jobs.find(v7())).toBeUndefined();
  });

  test('returns a schema unchanged, however deep it is and whatever numbers it has', async () => {
    const deep = Array.from({ length: 40 }).reduce<unknown>((inner) => [inner], 1e300);
    const extractSchema = { type: 'object', properties: { '': { const: deep, maximum: 1e300 } } };
    const job = pendingJob({ request: { ...pendingJob().request, format: 'extract', extractSchema } });
    await ports().jobs.create(job);
    expect(await ports().jobs.find(job.id)).toEqual(job);
  });

  test('creates a job once', async () => {
    const job = pendingJob();
    await ports().jobs.create(job);
    expect(await ports().jobs.create({ ...job, keyId: 'another' })).toBe(false);
    expect(await ports().jobs.find(job.id)).toEqual(job);
  });

  test('lets one of two workers start a job', async () => {
    const job = pendingJob();
    await ports().jobs.create(job);
    const starts = await Promise.all(
      ['a', 'b', 'c'].map((slot) => ports().jobs.replace(job, start(job, slot, 'worker', NOON))),
    );
    expect(starts.filter(Boolean)).toHaveLength(1);
  });

  test('refuses a write by a stale worker', async () => {
    const job = pendingJob();
    await ports().jobs.create(job);
    const first = start(job, 'a', 'worker', NOON);
    const second = start(withoutOwner(first, NOON), 'b', 'worker', NOON);
    await ports().jobs.replace(job, first);
    await ports().jobs.replace(first, second);
    expect(await ports().jobs.replace(first, release(first, NOON))).toBe(false);
    expect(await ports().jobs.find(job.id)).toEqual(second);
  });

  test('stores completed and failed jobs completely', async () => {
    for (const isCompleted of [true, false]) {
      const job = pendingJob();
      await ports().jobs.create(job);
      const running = start(job, 'slot', 'worker', NOON);
      const head = { status: 200, url: 'https://example.com/', redirects: 1, contentType: 'text/html' };
      const finished = isCompleted
        ? complete(running, { head, resultKey: 'results/a/b/1', sha256: 'ff', bytes: 3 }, 1, NOON)
        : fail(running, { code: 'timeout', message: 'too slow' }, NOON);
      await ports().jobs.replace(job, running);
      expect(await ports().jobs.replace(running, finished)).toBe(true);
      expect(await ports().jobs.find(job.id)).toEqual(finished);
      await ports().jobs.replace(finished, closed(finished));
      expect((await ports().jobs.due(LATER, 1_000)).jobs.map(({ id }) => id)).not.toContain(job.id);
    }
  });

  test('lists due jobs, longest overdue first', async () => {
    const due = [3, 1, 2].map((minutes) =>
      pendingJob({ dueAt: new Date(NOON.getTime() - minutes * 60_000) }),
    );
    const notYet = pendingJob({ dueAt: LATER });
    await Promise.all([...due, notYet].map((job) => ports().jobs.create(job)));
    const found = (await ports().jobs.due(NOON, 3)).jobs.map(({ id }) => id);
    expect(found).toEqual([due[0]?.id, due[2]?.id, due[1]?.id]);
    expect((await ports().jobs.due(NOON, 2)).jobs.map(({ id }) => id)).toEqual(found.slice(0, 2));
  });

  test('lists the jobs of one organization, newest first, in any range of ids', async () => {
    const orgId = v7();
    const at = (minute: number) => v7({ msecs: NOON.getTime() + minute * 60_000 });
    const ids = [1, 2, 3, 4, 5].map(at);
    const jobs = [...ids].reverse().map((id) => pendingJob({ id, orgId, tags: ['a:b'] }));
    await Promise.all([...jobs, pendingJob()].map((job) => ports().jobs.create(job)));
    const list = ports().jobs.list;
    await expect.poll(async () => (await list(orgId, { limit: 10 })).jobs).toEqual(jobs);
    const page = await list(orgId, { limit: 2 });
    expect([page.jobs, page.next]).toEqual([jobs.slice(0, 2), ids[3]]);
    expect((await list(orgId, { before: page.next, limit: 10 })).jobs).toEqual(jobs.slice(2));
    expect((await list(orgId, { after: ids[1], before: ids[4], limit: 10 })).jobs).toEqual(jobs.slice(1, 3));
    const noon = idBefore(new Date(NOON.getTime() + 3 * 60_000));
    expect((await list(orgId, { before: noon, limit: 10 })).jobs).toEqual(jobs.slice(3));
    expect((await list(orgId, { after: noon, limit: 10 })).jobs).toEqual(jobs.slice(0, 3));
    expect(await list(v7(), { limit: 10 })).toEqual({ jobs: [] });
    expect(await list(orgId, { before: ids[1], after: ids[4], limit: 10 })).toEqual({ jobs: [] });
    expect(await list(orgId, { before: ids[1], after: ids[1], limit: 10 })).toEqual({ jobs: [] });
  });

  test('lists the jobs of a backlog by their deadlines, until a worker starts them', async () => {
    const orgId = v7();
    const ids = [3, 1, 2].map((minutes) => {
      const deadlineAt = new Date(NOON.getTime() + minutes * 60_000);
      return toBacklog(pendingJob({ orgId, deadlineAt }), NOON);
    });
    await Promise.all(
      [...ids, toBacklog(pendingJob(), NOON), pendingJob({ orgId })].map((job) => ports().jobs.create(job)),
    );
    const [last, first, middle] = ids;
    const listed = async () => await ports().jobs.waiting(orgId, { limit: 10 });
    await expect.poll(listed).toEqual([first, middle, last]);
    expect(await ports().jobs.waiting(orgId, { limit: 2 })).toEqual([first, middle]);
    expect(await ports().jobs.waiting(orgId, { limit: 2, after: first })).toEqual([middle, last]);
    expect(await ports().jobs.waiting(orgId, { limit: 2, after: middle })).toEqual([last]);
    const due = (await ports().jobs.due(LATER, 1_000)).jobs.map(({ id }) => id);
    for (const { id } of ids) expect(due).not.toContain(id);
    if (first) await ports().jobs.replace(first, start(first, 'slot', 'worker', NOON));
    await expect.poll(listed).toEqual([middle, last]);
    expect((await ports().jobs.due(LATER, 1_000)).jobs.map(({ id }) => id)).not.toContain(first?.id);
  });

  test('lists as many jobs of a backlog as requested, however large they are', async () => {
    const orgId = v7();
    const body = 'x'.repeat(90_000);
    const request = {
      url: 'https://example.com/',
      renderJs: false,
      premiumProxy: false,
      timeout: 1_000,
      body,
    };
    const large = Array.from({ length: 15 }, () => toBacklog(pendingJob({ orgId, request }), NOON));
    await Promise.all(large.map((job) => ports().jobs.create(job)));
    await expect.poll(async () => (await ports().jobs.waiting(orgId, { limit: 15 })).length).toBe(15);
    expect(await ports().jobs.waiting(orgId, { limit: 14 })).toHaveLength(14);
  });

  test('removes a job, unless a worker has changed it', async () => {
    const job = pendingJob();
    await ports().jobs.create(job);
    const running = start(job, 'slot', 'worker', NOON);
    await ports().jobs.replace(job, running);
    expect(await ports().jobs.remove(job)).toBe(false);
    expect(await ports().jobs.remove(running)).toBe(true);
    expect(await ports().jobs.find(job.id)).toBeUndefined();
    expect(await ports().jobs.remove(running)).toBe(false);
    expect(await ports().jobs.replace(running, release(running, NOON))).toBe(false);
  });

  const idempotencyClaim = (rest: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
    orgId: 'org_1',
    key: v7(),
    bodyHash: 'aa',
    jobId: v7(),
    lockedUntil: NOON.getTime() + 30_000,
    expiresAt: LATER,
    ...rest,
  });

  test('grants an idempotency key to one of many claims', async () => {
    const key = v7();
    const wishes = [1, 2, 3].map(() => idempotencyClaim({ key }));
    const held = await Promise.all(wishes.map((wish) => ports().jobs.claimKey(wish, NOON)));
    expect(new Set(held.map(({ jobId }) => jobId)).size).toBe(1);
    expect(held[0]).toEqual(wishes.find(({ jobId }) => jobId === held[0]?.jobId));
  });

  test('separates keys by organization, and grants them again when they expire or are released', async () => {
    const first = idempotencyClaim();
    await ports().jobs.claimKey(first, NOON);
    const theirs = idempotencyClaim({ key: first.key, orgId: 'org_2' });
    expect(await ports().jobs.claimKey(theirs, NOON)).toEqual(theirs);
    const expired = idempotencyClaim({ key: first.key });
    expect(await ports().jobs.claimKey(expired, LATER)).toEqual(expired);
    await ports().jobs.releaseKey(first);
    const afterStale = idempotencyClaim({ key: first.key });
    expect(await ports().jobs.claimKey(afterStale, NOON)).toEqual(expired);
    await ports().jobs.releaseKey(expired);
    expect(await ports().jobs.claimKey(afterStale, NOON)).toEqual(afterStale);
  });

  test('keeps a granted claim when an earlier one is released at the same time', async () => {
    for (let round = 0; round < 30; round++) {
      const first = idempotencyClaim();
      await ports().jobs.claimKey(first, NOON);
      const second = idempotencyClaim({ key: first.key });
      const [held] = await Promise.all([ports().jobs.claimKey(second, NOON), ports().jobs.releaseKey(first)]);
      if (held.jobId !== second.jobId) continue;
      const third = idempotencyClaim({ key: first.key });
      expect(await ports().jobs.claimKey(third, NOON)).toEqual(second);
    }
  });

  test('lets one of two claims take over an expired one', async () => {
    const dead = idempotencyClaim();
    await ports().jobs.claimKey(dead, NOON);
    const heirs = [1, 2].map((n) => ({ ...dead, lockedUntil: dead.lockedUntil + n }));
    const held = await Promise.all(heirs.map((heir) => ports().jobs.claimKey(heir, NOON, dead)));
    expect(held[0]).toEqual(held[1]);
    expect(heirs).toContainEqual(held[0]);
  });
});

test('an unreadable job does not hide other due jobs', async () => {
  await using world = await emulatedWorld();
  const job = pendingJob({ dueAt: NOON });
  await world.jobs.create(job);
  const places = Array.from({ length: 10 }, (_, shard) => ({
    pk: v7(),
    open_shard: String(shard),
    due_at: '2026-11-21T11:00:00.000Z',
    status: 'of a later version',
  }));
  await Promise.all(places.map(world.storeJob));
  const { jobs, unreadable } = await world.jobs.due(LATER, 100);
  expect(jobs).toEqual([job]);
  expect(unreadable.sort()).toEqual(places.map(({ pk }) => pk).sort());
});
