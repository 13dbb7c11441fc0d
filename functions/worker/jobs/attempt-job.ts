import type { Organization, Usage } from '../../../shared/contract/accounts/account.ts';
import type { FinishedJob, OpenJob, RunningJob } from '../../../shared/contract/jobs/job.ts';
import type { Page } from '../../../shared/contract/scrape/page.ts';
import { isRepeatable } from '../../../shared/contract/scrape/target-request.ts';
import { charge, spareCredits } from '../../../shared/domain/accounts/credits/charge.ts';
import { maySendNoMore, start, withoutAttempt } from '../../../shared/domain/jobs/attempt.ts';
import { complete, creditsUsed, fail } from '../../../shared/domain/jobs/state.ts';
import { scrapeTime } from '../../../shared/domain/jobs/timing.ts';
import { AppError, toAppError } from '../../../shared/errors.ts';
import type { RequestLog } from '../../../shared/observe/request-log.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { deadline } from '../../../shared/time/deadline.ts';
import { firstAborted } from '../../../shared/time/first-aborted.ts';
import { finishJob, type FinishNeeds, freeSlot } from '../../../shared/use-cases/jobs/finish-job.ts';
import { requeue, usageOf } from './requeue.ts';
import { type JobPageNeeds, keepPageOfJob, pageOfJob } from './page-of-job.ts';
import type { HeldSlot } from './take-slot.ts';
import { storePage } from '../../../shared/use-cases/scrape/store-page.ts';
import { done, ownedElsewhere, type JobOutcome } from './job-outcome.ts';
import { whileOwned } from './while-owned.ts';
import {
  mayRetry,
  retryDelaySeconds,
  secondsAfter,
  slotWaitSeconds,
} from '../../../shared/domain/work/attempts.ts';
import { jitter } from '../../../shared/domain/work/jitter.ts';

export type AttemptNeeds = FinishNeeds & JobPageNeeds & Pick<Effects, 'waitList'>;

export type AttemptContext = {
  requestLog: RequestLog;
  /** Aborts when the worker itself must stop. */
  signal: AbortSignal;
};

type Ending = AttemptContext & {
  /** The usage when the job got its slot. */
  seen?: Usage | undefined;
};

/** Makes one attempt of a job in a slot that was taken for it. */
export async function attemptJob(
  fx: AttemptNeeds,
  before: OpenJob,
  slot: HeldSlot,
  organization: Organization,
  context: AttemptContext,
): Promise<JobOutcome> {
  const { requestLog } = context;
  const job = await beginAttempt(fx, before, slot);
  if (job === undefined) return notStarted(fx, before, slot, organization);
  requestLog.note({ status: job.status, attempt: job.attempt });
  const ending = { ...context, seen: slot.usage };
  let page: Page | undefined;
  try {
    using ownership = whileOwned(fx.jobs, job);
    using scrape = deadline(scrapeTime(job, fx.now()), firstAborted(context.signal, ownership.signal));
    page = await pageOfJob(fx, job, { ...scrape, scrapeId: slot.id, requestLog, ...balanceOf(slot) });
    return await deliver(fx, job, page, ending);
  } catch (thrown) {
    const error = toAppError(thrown);
    // A fault once the page is there is one of the storage: the job may have ended.
    if (error.code === 'internal' && page !== undefined) throw error;
    if (error.code === 'cancelled') return cancelled(fx, job, context);
    const wasThrottled = error.code === 'busy' && page === undefined;
    if (!wasThrottled && !mayRetry(error, { ...job, isRepeatable: isRepeatable(job.request) }))
      return giveUpJob(fx, job, error, ending);
    requestLog.fail(error);
    return wasThrottled
      ? await requeue(fx, withoutAttempt(job), organization, error, {
          outcome: 'throttled',
          afterSeconds: slotWaitSeconds(jitter(job.id, job.fencingToken)),
          job,
        })
      : await requeue(fx, job, organization, error, {
          outcome: 'again',
          afterSeconds: secondsAfter(error, job.attempt),
        });
  }
}

const balanceOf = ({ id, usage }: HeldSlot) => ({
  heldCredits: usage.slots.inUse[id]?.credits,
  spareCredits: spareCredits(usage, id),
});

/** The job in its slot. Undefined if another process has changed it or started it since it was read. */
async function beginAttempt(
  { jobs, newId, now }: Pick<AttemptNeeds, 'jobs' | 'newId' | 'now'>,
  before: OpenJob,
  slot: HeldSlot,
): Promise<RunningJob | undefined> {
  const job = start(before, slot.id, newId(), now());
  if (await jobs.replace(before, job)) return job;
  // The write may have succeeded although its response said otherwise. The job then needs its slot.
  const stored = await jobs.find(job.id);
  return stored?.status === 'running' && stored.owner === job.owner ? job : undefined;
}

/** Another process has changed the job. A slot that its submit took is that process's. */
async function notStarted(
  fx: AttemptNeeds,
  before: OpenJob,
  slot: HeldSlot,
  organization: Organization,
): Promise<JobOutcome> {
  const again = ownedElsewhere(retryDelaySeconds(1));
  if (slot.id === before.slot) return again;
  const { waiting } = await freeSlot(fx, organization, before, slot.id);
  return { ...again, ...(waiting.isAwaited && { awaitedIn: organization.id }) };
}

async function cancelled(
  fx: AttemptNeeds,
  job: RunningJob,
  { requestLog }: AttemptContext,
): Promise<JobOutcome> {
  requestLog.fail(new AppError('cancelled'));
  // The process that changed it settles its slot.
  const usage = await usageOf(fx, job.orgId);
  return done(usage?.waiting.isAwaited, job.orgId);
}

/** Stores and keeps the page first: a completed job always has its result. Each owner has its own key. */
async function deliver(fx: AttemptNeeds, job: RunningJob, page: Page, context: Ending): Promise<JobOutcome> {
  const { requestLog } = context;
  requestLog.enter('store');
  const { body, ...head } = page;
  const resultKey = `results/${job.orgId}/${job.id}/${job.fencingToken}`;
  const stored = await storePage(fx.results, resultKey, body);
  await keepPageOfJob(fx, job, page, stored);
  const completed = complete(job, { head, ...stored }, charge(job.request, head), fx.now());
  const verdict = await finish(fx, job, completed, context);
  if (verdict.outcome === 'taken') await discard(fx, job, resultKey);
  return verdict;
}

/** Deletes the page of a job that was cancelled, deleted or taken over. */
async function discard(fx: AttemptNeeds, { id }: RunningJob, resultKey: string): Promise<void> {
  const stored = await fx.jobs.find(id);
  // The write may have succeeded although its response said otherwise.
  const isKept = stored?.status === 'completed' && stored.resultKey === resultKey;
  if (!isKept) await fx.results.remove(resultKey);
}

export async function giveUpJob(
  fx: AttemptNeeds,
  job: OpenJob,
  error: AppError,
  context: Ending,
): Promise<JobOutcome> {
  context.requestLog.fail(error);
  return finish(fx, job, fail(job, toldOf(error, job), fx.now()), context);
}

/** A fault of the service is for its log. Callers learn what became of the job. */
function toldOf(error: AppError, job: OpenJob): AppError {
  if (error.code !== 'internal') return error;
  return new AppError(maySendNoMore(job) ? 'maybe_sent' : 'attempts_exhausted');
}

async function finish(
  fx: AttemptNeeds,
  job: OpenJob,
  finished: FinishedJob,
  context: Ending,
): Promise<JobOutcome> {
  const { requestLog } = context;
  requestLog.enter('settle');
  const finish = await finishJob(fx, job, finished, context.seen);
  if (finish === 'lost') return ownedElsewhere(retryDelaySeconds(1));
  requestLog.note({ status: finished.status, credits: creditsUsed(finished) });
  return done(finish === 'awaited', job.orgId);
}
