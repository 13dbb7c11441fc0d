import type { Organization } from '../../shared/contract/account.ts';
import type { OpenJob } from '../../shared/contract/job.ts';
import { cappedKey } from '../../shared/domain/account/key-restrictions.ts';
import type { SlotRequest } from '../../shared/domain/credits/admission.ts';
import { cost } from '../../shared/domain/credits/charge.ts';
import { limitsOf } from '../../shared/domain/credits/plan.ts';
import { hasSlot, hasSlotForJob, slotIdOf } from '../../shared/domain/credits/slots.ts';
import { retryDelaySeconds } from '../../shared/domain/job/backoff.ts';
import { claim, release, toBacklog } from '../../shared/domain/job/state.ts';
import { slotUntil } from '../../shared/domain/job/timing.ts';
import type { Effects } from '../../shared/ports.ts';
import { settleSlot } from '../../shared/use-cases/finish-job.ts';
import { taken, type Verdict } from './verdict.ts';

type Needs = Pick<Effects, 'jobs' | 'accounts' | 'now'>;

/** The job with a slot; or owned, but without the credits for one; or neither. */
export type Claimed =
  { owned: OpenJob; refusal?: 'insufficient_credits' | 'key_not_allowed' } | { verdict: Verdict };

/** Claims the job, then takes a slot. Waiting for a slot uses up no attempt. */
export async function claimJob(
  fx: Needs,
  job: OpenJob,
  organization: Organization,
  { isSlotLikely = false }: { isSlotLikely?: boolean | undefined },
): Promise<Claimed> {
  if (!isSlotLikely && !(await isSlotFree(fx, job, organization))) {
    if (await waitForSlot(fx, job, organization)) return { verdict: { outcome: 'waits' } };
  }
  const owned = await own(fx, job, organization);
  return owned ? takeSlot(fx, owned, organization) : { verdict: taken(retryDelaySeconds(1)) };
}

/** Claims a job, and frees the slot that a dead owner may have left. Undefined if another was first. */
export async function own(fx: Needs, job: OpenJob, organization: Organization): Promise<OpenJob | undefined> {
  const owned = claim(job, fx.now());
  if (!(await fx.jobs.replace(job, owned))) return undefined;
  if (job.fencingToken > 0) await settleSlot(fx, organization, job);
  return owned;
}

/** Takes a slot for a job that is claimed: a slot without an owner could be charged twice. */
export async function takeSlot(fx: Needs, owned: OpenJob, organization: Organization): Promise<Claimed> {
  const admission = await fx.accounts.admit(organization, await slotFor(fx, owned), fx.now());
  if (admission.outcome === 'admitted') return { owned };
  if (admission.code === 'insufficient_credits' || admission.code === 'key_not_allowed')
    return { owned, refusal: admission.code };
  const isWaiting = await waitForSlot(fx, owned, organization);
  return { verdict: isWaiting ? { outcome: 'waits' } : await stepAside(fx, owned) };
}

export async function slotFor(fx: Pick<Effects, 'accounts' | 'now'>, owned: OpenJob): Promise<SlotRequest> {
  const slot = { id: slotIdOf(owned), until: slotUntil(owned, fx.now()) };
  const record = await fx.accounts.findKey(owned.keyId);
  return { credits: cost(owned.request), slot, key: cappedKey(owned.keyId, record?.restrictions) };
}

/** A slot of the job's dead owner is freed once the job is claimed, so it counts as free. */
async function isSlotFree({ accounts, now }: Needs, job: OpenJob, organization: Organization) {
  const usage = await accounts.usage(organization, now());
  return hasSlot(usage, slotIdOf(job)) || hasSlotForJob(usage, limitsOf(organization), now());
}

/** Puts the job into the backlog. False, without any change, if a slot is free after all. */
async function waitForSlot(fx: Needs, job: OpenJob, organization: Organization): Promise<boolean> {
  if (!(await fx.accounts.noteWaiting(organization, fx.now()))) return false;
  // If another process has changed the job, that process continues it.
  if (!job.isWaiting) await fx.jobs.replace(job, toBacklog(job, fx.now()));
  return true;
}

/** A slot came free only after the job was refused. */
async function stepAside(fx: Needs, owned: OpenJob): Promise<Verdict> {
  await fx.jobs.replace(owned, release(owned, fx.now()));
  return { outcome: 'again', afterSeconds: 1 };
}
