import type { FinishedJob, Job, OpenJob } from '../../contract/jobs/job.ts';
import { addMs, MINUTE_MS, SECOND_MS } from '../../time/units.ts';
import { leaseEnd, STALE_MS } from '../work/lease.ts';

/** Jobs are settled by then, or within the sweeper's next minute, unless their submit sets another limit. */
export const JOB_DEADLINE_MS = 15 * MINUTE_MS;
/** The first attempt and all retries. */
const ATTEMPTS_MS = 15 * MINUTE_MS;
/** The longest interval between messages for a waiting job. */
const MAX_DEFERRAL_MS = 3 * MINUTE_MS;
/** A worker records and settles a job within this time, unless it has died. */
const CLOSING_MS = 10 * SECOND_MS;

/** A job that has begun has less time than a job that waits for a slot. */
export function endOfTime(job: Job): Date {
  const { deadlineAt } = job;
  const attemptsEnd =
    job.status === 'running' && job.attempt > 0 ? addMs(job.startedAt, ATTEMPTS_MS) : deadlineAt;
  return attemptsEnd < deadlineAt ? attemptsEnd : deadlineAt;
}

export function claimableAt(job: OpenJob): Date {
  return job.leaseUntil ?? job.createdAt;
}

/** Milliseconds for an attempt that begins now: the caller's timeout, within the job's deadline. */
export function scrapeTime(job: OpenJob, now: Date): number {
  return Math.max(0, Math.min(job.request.timeout, endOfTime(job).getTime() - now.getTime()));
}

export function jobLeaseEnd(job: OpenJob, now: Date): Date {
  return leaseEnd(now, scrapeTime(job, now));
}

/** Postpones the sweeper ever longer: a long queue is no lost message. */
export function deferred<J extends OpenJob>(job: J, now: Date): J {
  const age = now.getTime() - job.createdAt.getTime();
  return { ...job, dueAt: dueIn(job, now, Math.min(Math.max(age, STALE_MS), MAX_DEFERRAL_MS)) };
}

/** When the sweeper records a job that has ended without a slot, if no other process has. */
export function dueOnceFinished(job: Pick<OpenJob, 'dueAt' | 'isWaiting'>, now: Date): Date {
  const latest = addMs(now, STALE_MS);
  const isSoon = job.dueAt > addMs(now, CLOSING_MS) && job.dueAt <= latest;
  return isSoon && !job.isWaiting ? job.dueAt : latest;
}

/** Whether the process that ended a job should have settled it by now. */
export function isLeftUnsettled({ completedAt }: FinishedJob, now: Date): boolean {
  return addMs(completedAt, CLOSING_MS) <= now;
}

/** After `ms`, but at the deadline at the latest. */
export function dueIn(job: OpenJob, from: Date, ms: number): Date {
  const [next, end] = [addMs(from, ms), endOfTime(job)];
  return next < end || from >= end ? next : end;
}
