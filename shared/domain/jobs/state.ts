import type {
  CompletedJob,
  FailedJob,
  FinishedJob,
  Job,
  OpenJob,
  PendingJob,
  RunningJob,
} from '../../contract/jobs/job.ts';
import type { ScenarioReport } from '../../contract/scrape/js-scenario.ts';
import type { StoredBody } from '../../contract/scrape/cached-page.ts';
import type { PageHead } from '../../contract/scrape/page.ts';
import type { ErrorCode } from '../../errors.ts';
import { keptReport } from '../scrape/scenario/kept-report.ts';
import { kindOfPage } from '../accounts/credits/charge.ts';
import { reasonOfPage } from '../accounts/credits/credits-reason.ts';
import { endOfError } from '../accounts/credits/ended.ts';
import type { Ended } from '../accounts/credits/usage-days.ts';
import { timeOfId } from '../accounts/credits/short-id.ts';
import { dueIn, dueOnceFinished, endOfTime, JOB_DEADLINE_MS } from './timing.ts';
import { addMs } from '../../time/units.ts';
import { expiryAfter } from '../work/retention.ts';
import { fenced, STALE_MS } from '../work/lease.ts';

type NewJob = Pick<
  Job,
  'id' | 'orgId' | 'keyId' | 'requestId' | 'request' | 'tags' | 'webhook' | 'retryOn'
> & {
  /** Seconds. */
  completeWithin?: number | undefined;
  slot?: string | undefined;
};

/** The id has the time of creation, because lists are sorted by id. */
export function acceptJob({ completeWithin, ...job }: NewJob, now: Date): PendingJob {
  const deadlineMs = completeWithin === undefined ? JOB_DEADLINE_MS : completeWithin * 1_000;
  return {
    ...job,
    status: 'pending',
    attempt: 0,
    fencingToken: 0,
    createdAt: timeOfId(job.id) ?? now,
    deadlineAt: addMs(now, deadlineMs),
    dueAt: addMs(now, STALE_MS),
  };
}

/** Puts a job into its backlog, where it waits without a message. Older copies can no longer change it. */
export function toBacklog<J extends OpenJob>(job: J, now: Date): J {
  return { ...fenced(job), isWaiting: true, leaseUntil: now, slot: undefined, dueAt: endOfTime(job) };
}

/** Anybody may begin it from `at` on. */
export function release<J extends OpenJob>(job: J, at: Date): J {
  return { ...job, leaseUntil: at, slot: undefined, dueAt: dueIn(job, at, STALE_MS) };
}

/** Takes a job from an owner that has died, or is so late that it no longer counts. */
export function withoutOwner<J extends OpenJob>(job: J, now: Date): J {
  return fenced(release(job, now));
}

/** Releases a job, unsent or repeatable, until its next attempt, whose result has a key of its own. */
export function retry(job: RunningJob, { code, message }: LastError, at: Date): RunningJob {
  const waiting = { ...fenced(release(job, at)), lastError: { code, message }, nextAttemptAt: at };
  return { ...waiting, maybeSent: undefined };
}

type LastError = NonNullable<OpenJob['lastError']>;

type StoredPage = { head: PageHead } & StoredBody;

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
    renderWaiting: head.renderWaiting,
    contentTruncated: head.contentTruncated,
    scenario: head.scenario,
    verdict: head.verdict,
    content: head.content,
    document: head.document,
    modelTokens: head.modelTokens,
    extractTruncated: head.extractTruncated,
    rung: head.rung,
    modeTried: head.modeTried,
    cache: head.cache,
    age: head.age,
  };
}

type Failure = {
  code: ErrorCode;
  message: string;
  fields?: FailedJob['errorFields'];
  report?: object | undefined;
};

export function fail(job: OpenJob, { code, message, fields, report }: Failure, now: Date): FailedJob {
  return {
    ...inAnyStatus(job),
    ...finished(job, now),
    status: 'failed',
    startedAt: job.status === 'running' ? job.startedAt : undefined,
    errorCode: code,
    error: message,
    ...(fields && Object.keys(fields).length > 0 && { errorFields: fields }),
    ...(report && { scenario: keptReport(report as ScenarioReport) }),
  };
}

export function creditsUsed(job: FinishedJob): number {
  return job.status === 'completed' ? job.creditsUsed : 0;
}

/** For its charge, and for the usage of its day. */
export function endOf(job: FinishedJob): Ended {
  if (job.status === 'failed')
    return endOfError(job.request, { code: job.errorCode, fields: job.errorFields ?? {} });
  const { creditsUsed: charged } = job;
  return { kind: kindOfPage(job.request, job), reason: reasonOfPage(charged, job), charged };
}

export function closed<J extends FinishedJob>(job: J): J {
  return { ...job, dueAt: undefined };
}

/** Finished jobs may still have a slot to settle, or be on the sweeper's list. */
export function isFinished(job: Job): job is FinishedJob {
  return job.status === 'completed' || job.status === 'failed';
}

/** False after the retention, however late the storage cleans up. */
export function isVisible(job: Job, now: Date): boolean {
  return !isFinished(job) || job.expiresAt > now;
}

/** What a job keeps whatever becomes of it. */
export function inAnyStatus(job: Job) {
  const { id, orgId, keyId, requestId, request, tags, retryOn, webhook } = job;
  const { createdAt, deadlineAt, attempt, fencingToken } = job;
  const who = { id, orgId, keyId, requestId, request, tags, retryOn, webhook };
  return { ...who, createdAt, deadlineAt, attempt, fencingToken };
}

function finished({ request, slot, ...job }: OpenJob, now: Date) {
  return {
    // Mostly secrets, and no longer needed.
    request: { ...request, headers: undefined, cookies: undefined, body: undefined, jsScenario: undefined },
    completedAt: now,
    expiresAt: expiryAfter(now),
    ...(slot ? { slot } : { dueAt: dueOnceFinished(job, now) }),
  };
}
