import { z } from 'zod';
import { JobRequest } from '../../shared/contract/jobs/job-request.ts';
import { assertFormats, cappedKey } from '../../shared/domain/accounts/key-restrictions.ts';
import { assertCap, costs } from '../../shared/domain/accounts/credits/charge.ts';
import { hasSlot, hasSlotForJob, newSlotId, slotUntil } from '../../shared/domain/accounts/credits/slots.ts';
import { limitsOf } from '../../shared/domain/accounts/credits/plan.ts';
import { acceptJob, toBacklog } from '../../shared/domain/jobs/state.ts';
import type { AuthenticatedCall } from '../../shared/http/call.ts';
import { claimKey } from '../../shared/http/idempotency.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { assertEndpoint } from '../../shared/use-cases/webhooks/assert-endpoint.ts';

type Needs = Pick<Effects, 'waitList' | 'jobs' | 'queue' | 'webhooks' | 'now' | 'newId'>;
export type Submitted = { job: { id: string; createdAt: Date }; isReplayed: boolean };

/**
 * Writes the idempotency key, the slot, the job and the message in this order, so that a repeat after a crash
 * can resume. Throws `insufficient_credits`, `cost_cap_exceeded`, `idempotency_key_reused` and
 * `idempotency_in_flight` before the job is written.
 */
export async function submitJob(
  fx: Needs,
  wanted: JobRequest,
  idempotencyKey: string | undefined,
  call: AuthenticatedCall,
): Promise<Submitted> {
  const orgId = call.session.organization.id;
  const { tags, completeWithin, webhook, retryOn, ...request } = wanted;
  assertFormats(call.session.restrictions, request);
  assertCap(request);
  const credits = costs(request).at(-1) ?? 0;
  const assertNew = () => assertEndpoint(fx, orgId, webhook);
  const submit = { key: idempotencyKey, body: z.encode(JobRequest, wanted), credits, assertNew };
  if (idempotencyKey !== undefined) await call.meter.takeRateLimit();
  const { id, made } = await claimKey(fx, submit, call, fx.jobs.find);
  if (made) return { job: made, isReplayed: true };
  const { requestId, session, requestLog } = call;
  requestLog.note({ jobId: id, url: request.url });
  const slot = await takeSlot(fx, { id, costs: costs(request) }, call);
  const who = { id, orgId, keyId: session.keyId, requestId };
  const newJob = { ...who, request, tags, retryOn, completeWithin, webhook, slot };
  const job = acceptJob(newJob, fx.now());
  requestLog.enter('store');
  if (slot === undefined && (await mustWait(fx, call))) {
    await fx.jobs.create(toBacklog(job, fx.now()));
    return { job, isReplayed: false };
  }
  await fx.jobs.create(job);
  // A stored job is accepted, and the sweeper sends it. After an error the caller would pay for a second one.
  await fx.queue.send(job).catch((error: unknown) => requestLog.fail(error));
  return { job, isReplayed: false };
}

/**
 * Takes a slot in the write that takes the place in the bucket. Undefined if none is free. If the job is then
 * not stored, or no worker begins it, the sweeper frees the slot.
 */
async function takeSlot(
  fx: Needs,
  { id, costs: all }: { id: string; costs: readonly number[] },
  { session: { keyId, restrictions }, meter }: AuthenticatedCall,
): Promise<string | undefined> {
  const slot = { id: newSlotId({ id, fencingToken: 0 }, fx.newId()), until: slotUntil(fx.now()) };
  await meter.admit(all, { slot, isSlotOptional: true, key: cappedKey(keyId, restrictions) });
  const usage = meter.usage();
  return usage && hasSlot(usage, slot.id) ? slot.id : undefined;
}

/** Workers look for new jobs in a backlog for longer than this after its last note. */
const LOOKED_FOR_MS = 2_000;

/** Whether all slots are taken, or were a moment ago. A worker then takes the job into the next free one. */
async function mustWait(fx: Needs, { session, meter }: AuthenticatedCall): Promise<boolean> {
  const { organization } = session;
  const usage = meter.usage();
  if (usage === undefined) return false;
  const { isAwaited, at } = usage.waiting;
  if (isAwaited && fx.now().getTime() - at < LOOKED_FOR_MS) return true;
  if (hasSlotForJob(usage, limitsOf(organization), fx.now())) return false;
  return fx.waitList.noteWaiting(organization, fx.now());
}
