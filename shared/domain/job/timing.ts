import type { Job, OpenJob } from '../../contract/job.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A job is settled at the latest this long after it was accepted, give or take the sweeper's minute. */
export const JOB_DEADLINE_MS = 15 * MINUTE_MS;
/** Status and result are kept this long after a job is settled. */
export const RETENTION_MS = 30 * DAY_MS;
/** A pending job that nobody has touched for so long may have lost its message. */
export const STALE_MS = MINUTE_MS;
/** The sweeper sends a job that waits in a queue again at least so often. */
const MAX_DEFERRAL_MS = 3 * MINUTE_MS;
/** What a worker needs besides the scrape itself: to store the page and settle. */
const LEASE_MARGIN_MS = 20 * SECOND_MS;

const SLOT_MARGIN_MS = 10 * MINUTE_MS;

/**
 * Until when a job's slot may be held: longer than the job can live, for only its own settlement knows what to charge,
 * and the sweeper brings that about by then.
 */
export function slotUntil({ deadlineAt }: Job): Date {
  return later(deadlineAt, SLOT_MARGIN_MS);
}

/** From when on a worker may claim the job: as soon as nobody else owns it. */
export function claimableAt(job: OpenJob): Date {
  return job.leaseUntil ?? job.createdAt;
}

/** Milliseconds that an attempt begun now may take: what the caller gave it, but not beyond the job's deadline. */
export function scrapeTime({ request, deadlineAt }: OpenJob, now: Date): number {
  return Math.max(0, Math.min(request.timeout, deadlineAt.getTime() - now.getTime()));
}

/** Until when a worker that claims the job now owns it. */
export function leaseEnd(job: OpenJob, now: Date): Date {
  return later(now, scrapeTime(job, now) + LEASE_MARGIN_MS);
}

/** The job looked after by a worker that has its message, but no slot for it. Undefined if the sweeper looks no sooner. */
export function waiting<J extends OpenJob>(job: J, now: Date): J | undefined {
  const dueAt = dueIn(job, now, STALE_MS);
  const isWorthAWrite = dueAt.getTime() - job.dueAt.getTime() >= STALE_MS / 2;
  return isWorthAWrite ? { ...job, dueAt } : undefined;
}

/** The job looked after by the sweeper, who looks again ever later: a long queue is no lost message. */
export function deferred<J extends OpenJob>(job: J, now: Date): J {
  const age = now.getTime() - job.createdAt.getTime();
  return { ...job, dueAt: dueIn(job, now, Math.min(Math.max(age, STALE_MS), MAX_DEFERRAL_MS)) };
}

/** So long from then on, but at the deadline in any case. */
export function dueIn({ deadlineAt }: OpenJob, from: Date, ms: number): Date {
  const next = later(from, ms);
  return next < deadlineAt || from >= deadlineAt ? next : deadlineAt;
}

export function later(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms);
}
