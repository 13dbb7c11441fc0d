import { expect, test } from 'vitest';
import { z } from 'zod';
import { Job, type PendingJob } from '../../shared/contract/job.ts';
import { slotIdOf } from '../../shared/domain/credits/slots.ts';
import { claim, closed, complete, fail, release, start } from '../../shared/domain/job/state.ts';
import { claimableAt, deferred, scrapeTime } from '../../shared/domain/job/timing.ts';
import { NOON, pendingJob } from '../support/jobs.ts';

const later = (seconds: number) => new Date(NOON.getTime() + seconds * 1_000);

test('a claim lasts for the timeout of the job and 20 seconds', () => {
  const owned = claim(pendingJob(), NOON);
  expect(owned).toMatchObject({ status: 'pending', attempt: 0, fencingToken: 1 });
  expect(claimableAt(owned)).toEqual(later(30));
});

test('the lease of an attempt begins with it, however early the job was claimed', () => {
  const owned = claim(pendingJob(), NOON);
  expect(start(owned, later(15))).toMatchObject({ leaseUntil: later(45), dueAt: later(30) });
});

test('the sweeper looks at a job that is claimed after a minute or when it would have, and by the end of the lease', () => {
  const request = { ...pendingJob().request, timeout: 90_000 };
  const due = (job: Partial<PendingJob>, at = NOON) => claim(pendingJob({ request, ...job }), at).dueAt;
  expect(due({}, later(5))).toEqual(later(60));
  expect(due({}, later(60))).toEqual(later(120));
  expect(due({ dueAt: later(90) })).toEqual(later(60));
  expect(due({ isWaiting: true, dueAt: later(40) })).toEqual(later(60));
  expect(claim(pendingJob(), later(5)).dueAt).toEqual(later(35));
});

test('a job that runs at once keeps its place in the index of unfinished jobs until it is closed', () => {
  const job = pendingJob({ request: { ...pendingJob().request, timeout: 90_000 } });
  const running = start(claim(job, later(1)), later(1));
  const head = { status: 200, url: job.request.url, redirects: 0 };
  const completed = complete(running, { head, resultKey: 'a', sha256: 'ff', bytes: 3 }, 1, later(3));
  expect([running.dueAt, completed.dueAt, closed(completed).dueAt]).toEqual([
    job.dueAt,
    job.dueAt,
    undefined,
  ]);
});

test('the sweeper settles a job that has ended within a minute, but not while its worker does', () => {
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
  expect(claimableAt(claim(job, later(15 * 60 - 4)))).toEqual(later(15 * 60 + 20));
});

test('a job stored by a later version can be read', () => {
  const stored = z.encode(Job, pendingJob());
  const newer = { ...stored, request: { ...stored.request, newer: true }, more: 1 };
  expect(Job.parse(newer)).toEqual(Job.parse(stored));
});

test('starting counts as an attempt, and started_at is the time of the first one', () => {
  const first = start(claim(pendingJob(), NOON), later(1));
  const second = start(claim(release(first, later(10)), later(10)), later(11));
  expect(second).toMatchObject({ status: 'running', attempt: 2, fencingToken: 2, startedAt: later(1) });
});

test('expires_at is in whole seconds, as storage keeps it', () => {
  const now = new Date(NOON.getTime() + 815);
  const failed = fail(pendingJob(), { code: 'cancelled', message: '' }, now);
  expect(failed.expiresAt).toEqual(later(30 * 24 * 3_600));
  expect(Job.parse(z.encode(Job, failed))).toMatchObject({ expiresAt: failed.expiresAt });
});

test('each claim has its own slot', () => {
  const first = claim(pendingJob(), NOON);
  expect(slotIdOf(claim(first, NOON))).not.toBe(slotIdOf(first));
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
