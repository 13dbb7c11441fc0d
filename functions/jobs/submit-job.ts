import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { PendingJob } from '../../shared/contract/job.ts';
import { JobRequest } from '../../shared/contract/scrape-request.ts';
import { assertFormats } from '../../shared/domain/account/key-restrictions.ts';
import { assertCap, cost } from '../../shared/domain/credits/charge.ts';
import { hasSlotForJob } from '../../shared/domain/credits/slots.ts';
import { limitsOf } from '../../shared/domain/credits/plan.ts';
import { acceptJob, toBacklog } from '../../shared/domain/job/state.ts';
import { AppError } from '../../shared/errors.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import type { Meter } from '../../shared/http/meter.ts';
import type { Effects, IdempotencyClaim } from '../../shared/ports.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Longer than any submit takes: after it the request that claimed the key is dead, and a repeat resumes. */
const LOCK_MS = 30_000;

type Needs = Pick<Effects, 'accounts' | 'jobs' | 'queue' | 'now' | 'newId'>;
export type Submitted = { job: { id: string; createdAt: Date }; isReplayed: boolean };

/**
 * Writes the idempotency key, the job and the message in this order, so that a repeat after a crash can
 * resume. Throws `insufficient_credits`, `cost_cap_exceeded`, `idempotency_key_reused` and
 * `idempotency_in_flight` before any write.
 */
export async function submitJob(
  fx: Needs,
  wanted: JobRequest,
  idempotencyKey: string | undefined,
  call: AuthenticatedCall,
): Promise<Submitted> {
  const orgId = call.session.organization.id;
  const { tags, completeWithin, ...request } = wanted;
  assertFormats(call.session.restrictions);
  assertCap(request);
  const submit = { request: wanted, orgId, key: idempotencyKey };
  const claimed = isKeyed(submit) ? await claimKey(fx, submit, call.meter) : undefined;
  if (claimed?.job) return { job: claimed.job, isReplayed: true };
  call.meter.assertCredits(cost(request));
  const id = claimed?.claim.jobId ?? fx.newId();
  const { requestId, session, trail } = call;
  const wish = { id, orgId, keyId: session.keyId, requestId, request, tags, completeWithin };
  const job = acceptJob(wish, fx.now());
  trail.note({ jobId: id, url: request.url });
  trail.enter('store');
  if (await mustWait(fx, call)) {
    await fx.jobs.create(toBacklog(job, fx.now()));
    return { job, isReplayed: false };
  }
  await fx.jobs.create(job);
  // A stored job is accepted, and the sweeper sends it. After an error the caller would pay for a second one.
  await fx.queue.send(job).catch((error: unknown) => trail.fail(error));
  return { job, isReplayed: false };
}

/** Workers look for new jobs in a backlog for longer than this after its last note. */
const LOOKED_FOR_MS = 2_000;

/** Whether all slots are taken, or were a moment ago. A worker then takes the job into the next free one. */
async function mustWait(fx: Needs, { session, meter }: AuthenticatedCall): Promise<boolean> {
  const { organization } = session;
  const usage = meter.usage();
  if (usage === undefined) return false;
  if (usage.isAwaited && fx.now().getTime() - (usage.waitingAt ?? 0) < LOOKED_FOR_MS) return true;
  if (hasSlotForJob(usage, limitsOf(organization), fx.now())) return false;
  return fx.accounts.noteWaiting(organization, fx.now());
}

type KeyedSubmit = { request: JobRequest; orgId: string; key: string };

const isKeyed = (submit: Omit<KeyedSubmit, 'key'> & { key: string | undefined }): submit is KeyedSubmit =>
  submit.key !== undefined;

type Claimed = { claim: IdempotencyClaim; job?: PendingJob | { id: string; createdAt: Date } };

/** The right to create the key's job, or the job if it exists. A repeat needs no credits. */
async function claimKey(fx: Needs, { request, orgId, key }: KeyedSubmit, meter: Meter): Promise<Claimed> {
  const now = fx.now();
  const lockedUntil = now.getTime() + LOCK_MS;
  const wanted: IdempotencyClaim = {
    orgId,
    key,
    bodyHash: hashOf(request),
    jobId: fx.newId(),
    lockedUntil,
    expiresAt: new Date(now.getTime() + DAY_MS),
  };
  const known = meter.affords(cost(request)) ? undefined : await fx.jobs.heldKey(wanted, now);
  if (known === undefined) meter.assertCredits(cost(request));
  const held = known ?? (await fx.jobs.claimKey(wanted, now));
  if (held.jobId === wanted.jobId) return { claim: held };
  if (held.bodyHash !== wanted.bodyHash) throw new AppError('idempotency_key_reused');
  const job = await fx.jobs.find(held.jobId);
  if (job) return { claim: held, job };
  const inFlight = new AppError('idempotency_in_flight', { retryAfter: secondsUntil(held.lockedUntil, now) });
  if (held.lockedUntil > now.getTime()) throw inFlight;
  meter.assertCredits(cost(request));
  const resumed = { ...held, lockedUntil };
  const holder = await fx.jobs.claimKey(resumed, now, held);
  if (holder.lockedUntil !== lockedUntil) throw inFlight;
  return { claim: resumed };
}

/** The order of fields, headers and cookies makes no difference. */
function hashOf(request: JobRequest): string {
  return createHash('sha256')
    .update(canonical(z.encode(JobRequest, request)))
    .digest('hex');
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`).join()}}`;
}

function secondsUntil(time: number, now: Date): number {
  return Math.max(1, Math.ceil((time - now.getTime()) / 1_000));
}
