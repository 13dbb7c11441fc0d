import { createHash } from 'node:crypto';
import type { Organization } from '../../shared/contract/account.ts';
import type { Job, OpenJob, RunningJob } from '../../shared/contract/job.ts';
import type { Page } from '../../shared/contract/page.ts';
import { MAX_ATTEMPTS, retryDelaySeconds, slotWaitSeconds } from '../../shared/domain/backoff.ts';
import { hasFreeSlot } from '../../shared/domain/admission.ts';
import { charge, cost } from '../../shared/domain/charge.ts';
import {
  claim,
  claimableAt,
  complete,
  fail,
  isFinished,
  release,
  slotIdOf,
  slotUntil,
  start,
} from '../../shared/domain/job.ts';
import { limitsOf } from '../../shared/domain/plan.ts';
import { AppError, catalogue, type ErrorCode, toAppError } from '../../shared/errors.ts';
import { finishJob, settleJob, settleSlot } from '../../shared/finish-job.ts';
import { getPage } from '../../shared/get-page.ts';
import type { Effects } from '../../shared/ports.ts';

type Needs = Pick<Effects, 'jobs' | 'accounts' | 'results' | 'fetchPage' | 'renderPage' | 'now'>;

export type RunContext = {
  requestId: string;
  /** Aborts when the worker itself has to come to an end. */
  signal: AbortSignal;
};

/** What becomes of the message: acknowledged, or seen again after so many seconds. */
export type Verdict =
  { outcome: 'done'; job?: Job; error?: AppError } | { outcome: 'again'; afterSeconds: number };

const DONE: Verdict = { outcome: 'done' };

/** Takes a job as far as it can go now. May run twice, beside itself, and be killed after any line. */
export async function runJob(fx: Needs, id: string, context: RunContext): Promise<Verdict> {
  const job = await fx.jobs.find(id);
  if (job === undefined) return DONE;
  if (isFinished(job)) {
    await settleJob(fx, job);
    return DONE;
  }
  const heldSeconds = secondsUntil(claimableAt(job), fx.now());
  if (heldSeconds > 0) return again(heldSeconds);
  const organization = await fx.accounts.findOrganization(job.orgId);
  const objection = organization && (await objectionTo(fx, job, organization));
  if (objection || !organization) return giveUp(fx, job, objection ?? 'unauthorized');
  return claimJob(fx, job, organization, context);
}

/** Owns the job, then takes a slot: waiting for one burns no attempt, and is mostly known before anything is written. */
async function claimJob(
  fx: Needs,
  job: OpenJob,
  organization: Organization,
  context: RunContext,
): Promise<Verdict> {
  const usage = await fx.accounts.usage(organization, fx.now());
  if (!hasFreeSlot(usage, limitsOf(organization))) return again(slotWaitSeconds(spread(job.id)));
  const owned = claim(job, fx.now());
  if (!(await fx.jobs.replace(job, owned))) return again(retryDelaySeconds(1));
  if (job.fencingToken > 0) await settleSlot(fx, organization, job, 0);

  const slot = { id: slotIdOf(owned), until: slotUntil(owned) };
  const admission = await fx.accounts.admit(organization, { credits: cost(job.request), slot }, fx.now());
  if (admission.outcome === 'refused') {
    if (admission.code === 'insufficient_credits') return giveUp(fx, owned, admission.code);
    await fx.jobs.replace(owned, release(owned, fx.now()));
    return again(slotWaitSeconds(spread(job.id)));
  }
  return scrapeJob(fx, owned, organization, context);
}

async function scrapeJob(
  fx: Needs,
  owned: OpenJob,
  organization: Organization,
  context: RunContext,
): Promise<Verdict> {
  const job = start(owned, fx.now());
  if (!(await fx.jobs.replace(owned, job))) {
    await settleSlot(fx, organization, owned, 0);
    return again(retryDelaySeconds(1));
  }
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(job.request.timeout), context.signal]);
    const page = await getPage(fx, job.request, { requestId: context.requestId, orgId: job.orgId, signal });
    return await deliver(fx, job, page);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === 'internal') throw error;
    return mayRetry(job, error) ? retryLater(fx, job, organization) : giveUp(fx, job, error.code, error);
  }
}

/** The page is stored before the job says so: a completed job always has its result. */
async function deliver(fx: Needs, job: RunningJob, page: Page): Promise<Verdict> {
  const { body, ...head } = page;
  const resultKey = `results/${job.orgId}/${job.id}/${job.attempt}`;
  await fx.results.put(resultKey, page);
  const stored = { head, resultKey, bytes: body.byteLength, sha256: sha256(body) };
  const completed = complete(job, stored, charge(job.request, head.status), fx.now());
  const isMine = await finishJob(fx, job, completed);
  return isMine ? { outcome: 'done', job: completed } : again(retryDelaySeconds(1));
}

async function giveUp(
  fx: Needs,
  job: OpenJob,
  code: ErrorCode,
  error = new AppError(code),
): Promise<Verdict> {
  const failed = fail(job, { code, message: error.message }, fx.now());
  const isMine = await finishJob(fx, job, failed);
  return isMine ? { outcome: 'done', job: failed, error } : again(retryDelaySeconds(1));
}

/** The slot is given back meanwhile: waiting is no scrape in progress. */
async function retryLater(fx: Needs, job: RunningJob, organization: Organization): Promise<Verdict> {
  const delay = retryDelaySeconds(job.attempt);
  const released = release(job, new Date(fx.now().getTime() + delay * 1_000));
  if (await fx.jobs.replace(job, released)) await settleSlot(fx, organization, job, 0);
  return again(delay);
}

/** Why a job that was accepted may not run any more. */
async function objectionTo(
  fx: Needs,
  job: OpenJob,
  { status }: Organization,
): Promise<ErrorCode | undefined> {
  if (job.deadlineAt <= fx.now()) return 'deadline_exceeded';
  if (job.attempt >= MAX_ATTEMPTS) return 'attempts_exhausted';
  if (status === 'suspended') return 'organization_suspended';
  const key = await fx.accounts.findKey(job.keyId);
  return key?.status === 'active' ? undefined : 'unauthorized';
}

function mayRetry(job: RunningJob, { code }: AppError): boolean {
  return catalogue[code].retryable && job.attempt < MAX_ATTEMPTS;
}

function again(afterSeconds: number): Verdict {
  return { outcome: 'again', afterSeconds };
}

function secondsUntil(time: Date, now: Date): number {
  return Math.ceil((time.getTime() - now.getTime()) / 1_000);
}

/** 0 to 1, from the random end of the job's id. */
function spread(id: string): number {
  return Number.parseInt(id.slice(-4), 16) / 0x1_00_00;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
