import type {
  CompletedJob,
  FailedJob,
  FinishedJob,
  Job,
  OpenJob,
  PendingJob,
  RunningJob,
} from '../contract/job.ts';
import type { PageHead } from '../contract/page.ts';
import type { ErrorCode } from '../errors.ts';
import { shortId } from './short-id.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A job is settled at the latest this long after it was accepted, give or take the sweeper's minute. */
export const JOB_DEADLINE_MS = 15 * MINUTE_MS;
/** Status and result are kept this long after a job is settled. */
const RETENTION_MS = 30 * DAY_MS;
/** A pending job that nobody has touched for so long may have lost its message. */
const STALE_MS = MINUTE_MS;
/** The sweeper sends a job that waits in a queue again at least so often. */
const MAX_DEFERRAL_MS = 3 * MINUTE_MS;
/** What a worker needs besides the scrape itself: to store the page and settle. */
const LEASE_MARGIN_MS = 20 * SECOND_MS;

const SLOT_MARGIN_MS = 10 * MINUTE_MS;

type NewJob = Pick<Job, 'id' | 'orgId' | 'keyId' | 'requestId' | 'request'>;

/** A job as it is accepted. */
export function acceptJob(job: NewJob, now: Date): PendingJob {
  return {
    ...job,
    status: 'pending',
    attempt: 0,
    fencingToken: 0,
    createdAt: now,
    deadlineAt: later(now, JOB_DEADLINE_MS),
    dueAt: later(now, STALE_MS),
  };
}

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

/** The job owned by a worker, for as long as the scrape may take. */
export function claim<J extends OpenJob>(job: J, now: Date): J {
  const until = later(now, scrapeTime(job, now) + LEASE_MARGIN_MS);
  return { ...job, fencingToken: job.fencingToken + 1, leaseUntil: until, dueAt: until };
}

/** A claimed job with a slot, as its next attempt begins. */
export function start(job: OpenJob, now: Date): RunningJob {
  return {
    ...inAnyStatus(job),
    status: 'running',
    attempt: job.attempt + 1,
    startedAt: job.status === 'running' ? job.startedAt : now,
    leaseUntil: claimableAt(job),
    dueAt: job.dueAt,
  };
}

/** The job given up by its owner, for anybody to claim from `at` on. */
export function release<J extends OpenJob>(job: J, at: Date): J {
  return { ...job, leaseUntil: at, dueAt: dueIn(job, at, STALE_MS) };
}

/** The slot that a job's owner takes. Every owner has one of its own, so that a stale one can't touch another's. */
export function slotIdOf({ id, fencingToken }: Pick<Job, 'id' | 'fencingToken'>): string {
  return `${shortId(id)}#${fencingToken}`;
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
function dueIn({ deadlineAt }: OpenJob, from: Date, ms: number): Date {
  const next = later(from, ms);
  return next < deadlineAt || from >= deadlineAt ? next : deadlineAt;
}

type StoredPage = { head: PageHead } & Pick<CompletedJob, 'resultKey' | 'sha256' | 'bytes' | 'gzip'>;

/** The job with its page delivered, its slot still to be settled. */
export function complete(
  job: RunningJob,
  { head, ...stored }: StoredPage,
  credits: number,
  now: Date,
): CompletedJob {
  return {
    ...inAnyStatus(job),
    ...stored,
    ...finished(job, now),
    status: 'completed',
    startedAt: job.startedAt,
    creditsUsed: credits,
    targetStatus: head.status,
    targetUrl: head.url,
    targetRedirects: head.redirects,
    contentType: head.contentType,
    renderState: head.renderState,
  };
}

/** The job given up for good, its slot still to be settled. */
export function fail(
  job: OpenJob,
  { code, message }: { code: ErrorCode; message: string },
  now: Date,
): FailedJob {
  return {
    ...inAnyStatus(job),
    ...finished(job, now),
    status: 'failed',
    startedAt: job.status === 'running' ? job.startedAt : undefined,
    errorCode: code,
    error: message,
  };
}

/** Credits that settling the job charges. */
export function creditsUsed(job: FinishedJob): number {
  return job.status === 'completed' ? job.creditsUsed : 0;
}

/** The job with nothing left to do for anybody. */
export function closed<J extends FinishedJob>(job: J): J {
  return { ...job, dueAt: undefined };
}

/** Whether the job has come to its end, well or not; its slot may still have to be settled. */
export function isFinished(job: Job): job is FinishedJob {
  return job.status === 'completed' || job.status === 'failed';
}

/** The page of a completed job, as far as it is known without its bytes. */
export function pageHead(job: CompletedJob): PageHead {
  return {
    status: job.targetStatus,
    url: job.targetUrl,
    redirects: job.targetRedirects,
    contentType: job.contentType,
    renderState: job.renderState,
  };
}

/** Whether a job can still be seen: nothing outlives its retention, however late the storage cleans up. */
export function isVisible(job: Job, now: Date): boolean {
  return !isFinished(job) || job.expiresAt > now;
}

function inAnyStatus(job: Job) {
  const { id, orgId, keyId, requestId, request, createdAt, deadlineAt, attempt, fencingToken } = job;
  return { id, orgId, keyId, requestId, request, createdAt, deadlineAt, attempt, fencingToken };
}

function finished({ request }: Job, now: Date) {
  return {
    // Mostly secrets, and nobody needs them any more.
    request: { ...request, headers: undefined, cookies: undefined },
    completedAt: now,
    expiresAt: later(now, RETENTION_MS),
    dueAt: later(now, STALE_MS),
  };
}

function later(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms);
}
