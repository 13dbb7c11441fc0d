import type { FinishedJob, Job, OpenJob } from '../../contract/jobs/job.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Jobs are settled by then, or within the sweeper's next minute, unless their submit sets another limit. */
export const JOB_DEADLINE_MS = 15 * MINUTE_MS;
/** The first attempt and all retries. */
const ATTEMPTS_MS = 15 * MINUTE_MS;
export const RETENTION_MS = 30 * DAY_MS;
/** A pending job untouched for this long may have lost its message. */
export const STALE_MS = MINUTE_MS;
/** The longest interval between messages for a waiting job. */
const MAX_DEFERRAL_MS = 3 * MINUTE_MS;
const LEASE_MARGIN_MS = 20 * SECOND_MS;

/** A worker records and settles a job within this time, unless it has died. */
const CLOSING_MS = 10 * SECOND_MS;

/** A job that has begun has less time than a job that waits for a slot. */
export function endOfTime(job: Job): Date {
  const { deadlineAt } = job;
  const attemptsEnd =
    job.status === 'running' && job.attempt > 0 ? later(job.startedAt, ATTEMPTS_MS) : deadlineAt;
  return attemptsEnd < deadlineAt ? attemptsEnd : deadlineAt;
}

export function claimableAt(job: OpenJob): Date {
  return job.leaseUntil ?? job.createdAt;
}

/** Milliseconds for an attempt that begins now: the caller's timeout, within the job's deadline. */
export function scrapeTime(job: OpenJob, now: Date): number {
  return Math.max(0, Math.min(job.request.timeout, endOfTime(job).getTime() - now.getTime()));
}

export function leaseEnd(job: OpenJob, now: Date): Date {
  return later(now, scrapeTime(job, now) + LEASE_MARGIN_MS);
}

/** Postpones the sweeper ever longer: a long queue is no lost message. */
export function deferred<J extends OpenJob>(job: J, now: Date): J {
  const age = now.getTime() - job.createdAt.getTime();
  return { ...job, dueAt: dueIn(job, now, Math.min(Math.max(age, STALE_MS), MAX_DEFERRAL_MS)) };
}

/** When the sweeper records a job that has ended without a slot, if no other process has. */
export function dueOnceFinished(job: Pick<OpenJob, 'dueAt' | 'isWaiting'>, now: Date): Date {
  const latest = later(now, STALE_MS);
  const isSoon = job.dueAt > later(now, CLOSING_MS) && job.dueAt <= latest;
  return isSoon && !job.isWaiting ? job.dueAt : latest;
}

/** Whether the process that ended a job should have settled it by now. */
export function isLeftUnsettled({ completedAt }: FinishedJob, now: Date): boolean {
  return later(completedAt, CLOSING_MS) <= now;
}

/** After `ms`, but at the deadline at the latest. */
export function dueIn(job: OpenJob, from: Date, ms: number): Date {
  const [next, end] = [later(from, ms), endOfTime(job)];
  return next < end || from >= end ? next : end;
}

export function later(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms);
}

/** Storage keeps the ends of retentions in whole seconds. */
export function expiryAfter(date: Date, ms = RETENTION_MS): Date {
  return new Date(Math.floor((date.getTime() + ms) / SECOND_MS) * SECOND_MS);
}
