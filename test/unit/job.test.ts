import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { SlotsInUse, Usage } from '../../shared/contract/accounts/account.ts';
import { Job, type PendingJob } from '../../shared/contract/jobs/job.ts';
import {
  holderOf,
  newSlotId,
  slotsByJob,
  slotsOfJobs,
  slotUntil,
} from '../../shared/domain/accounts/credits/slots.ts';
import { start } from '../../shared/domain/jobs/attempt.ts';
import { closed, complete, fail, release, withoutOwner } from '../../shared/domain/jobs/state.ts';
import { claimableAt, deferred, scrapeTime } from '../../shared/domain/jobs/timing.ts';
import { NOON, pendingJob } from '../support/world/jobs.ts';
import { fenced } from '../../shared/domain/work/lease.ts';

const later = (seconds: number) => new Date(NOON.getTime() + seconds * 1_000);

test('a worker owns a job for the timeout of its attempt and 20 seconds', () => {
  const running = start(pendingJob(), 'slot', 'worker', later(15));
  expect(running).toMatchObject({ status: 'running', attempt: 1, fencingToken: 1, dueAt: later(60) });
  expect(claimableAt(running)).toEqual(later(45));
});

test('a job that begins has a slot, and is due by that alone until another attempt', () => {
  const job = pendingJob({ request: { ...pendingJob().request, timeout: 90_000 } });
  const running = start(job, 'slot', 'worker', later(1));
  const head = { status: 200, url: job.request.url, redirects: 0 };
  const completed = complete(running, { head, resultKey: 'a', sha256: 'ff', bytes: 3 }, 1, later(3));
  expect([completed.slot, completed.dueAt]).toEqual(['slot', undefined]);
  const released = release(running, later(9));
  expect(released).toMatchObject({ slot: undefined, leaseUntil: later(9), dueAt: later(69) });
  expect(fail(released, { code: 'timeout', message: '' }, later(9)).dueAt).toBeDefined();
});

test('the sweeper records a job that ended without a slot in a minute, but not while its worker does', () => {
  const ended = (job: Partial<PendingJob>, at: Date) =>
    fail(pendingJob(job), { code: 'timeout', message: 'too slow' }, at).dueAt;
  expect(ended({}, later(5))).toEqual(later(60));
  expect(ended({}, later(49))).toEqual(later(60));
  expect(ended({}, later(50))).toEqual(later(110));
  expect(ended({ dueAt: later(61) }, NOON)).toEqual(later(60));
  expect(ended({ isWaiting: true, dueAt: later(30) }, NOON)).toEqual(later(60));
});

test('an attempt ends at the deadline of its job at the latest', () => {
  const job = pendingJob();
  expect(scrapeTime(job, NOON)).toBe(10_000);
  expect(scrapeTime(job, later(15 * 60 - 4))).toBe(4_000);
  expect(scrapeTime(job, later(16 * 60))).toBe(0);
  expect(claimableAt(start(job, 'slot', 'worker', later(15 * 60 - 4)))).toEqual(later(15 * 60 + 20));
});

test('a job stored by a later version can be read', () => {
  const stored = z.encode(Job, pendingJob());
  const newer = { ...stored, request: { ...stored.request, newer: true }, more: 1 };
  expect(Job.parse(newer)).toEqual(Job.parse(stored));
});

test('starting counts as an attempt, and started_at is the time of the first one', () => {
  const first = start(pendingJob(), 'a', 'worker', later(1));
  const second = start(release(first, later(10)), 'b', 'worker', later(11));
  expect(second).toMatchObject({ status: 'running', attempt: 2, fencingToken: 2, startedAt: later(1) });
});

test('expires_at is in whole seconds, as storage keeps it', () => {
  const now = new Date(NOON.getTime() + 815);
  const failed = fail(pendingJob(), { code: 'cancelled', message: '' }, now);
  expect(failed.expiresAt).toEqual(later(30 * 24 * 3_600));
  expect(Job.parse(z.encode(Job, failed))).toMatchObject({ expiresAt: failed.expiresAt });
});

test('a job is fenced where it is, and taken away without its slot', () => {
  const waiting = pendingJob({ isWaiting: true, dueAt: later(300) });
  expect(fenced(waiting)).toEqual({ ...waiting, fencingToken: 1 });
  const running = start(pendingJob(), 'slot', 'worker', NOON);
  expect(withoutOwner(running, later(30))).toMatchObject({ slot: undefined, fencingToken: 2 });
});

test('each slot of a job has its own name, which says whose it is', () => {
  const job = { ...pendingJob(), fencingToken: 3 };
  const names = [v7(), v7(), v7()].map((newId) => newSlotId(job, newId));
  expect(new Set(names).size).toBe(3);
  const inUse: SlotsInUse = { 'a-chunk#1': { credits: 1, until: 0, period: '' } };
  // The last one was taken first.
  for (const [n, name] of names.entries())
    inUse[name] = { credits: 1, until: Number(slotUntil(later(-n))), period: '' };
  const usage = { slots: { inUse } } as Usage;
  const inOrder = names.map((slotId, n) => ({ slotId, token: 3, takenAt: later(-n), held: 1 })).reverse();
  expect(slotsOfJobs(usage)).toEqual(inOrder);
  expect(slotsOfJobs(usage).map(({ slotId }) => holderOf(slotId))).toEqual([job.id, job.id, job.id]);
  expect(slotsByJob(usage)(job)).toEqual(inOrder);
  for (const other of [pendingJob(), { ...job, fencingToken: 4 }])
    expect(slotsByJob(usage)(other)).toEqual([]);
});

test('a finished job stays due until its slot is settled, and is kept for 30 days', () => {
  const failed = fail(pendingJob(), { code: 'timeout', message: 'too slow' }, NOON);
  expect(failed.dueAt).toEqual(later(60));
  expect(closed(failed).dueAt).toBeUndefined();
  expect(failed.expiresAt).toEqual(later(30 * 24 * 3_600));
});

test('a job is due again at its deadline at the latest', () => {
  const job = pendingJob();
  expect(deferred(job, NOON).dueAt).toEqual(later(60));
  expect(deferred(job, later(2 * 60)).dueAt).toEqual(later(4 * 60));
  expect(deferred(job, later(5 * 60)).dueAt).toEqual(later(8 * 60));
  expect(release(job, later(15 * 60 - 5)).dueAt).toEqual(job.deadlineAt);
  expect(deferred(job, later(14 * 60)).dueAt).toEqual(job.deadlineAt);
});
