import type { Organization, Usage } from '../../../shared/contract/accounts/account.ts';
import type { OpenJob } from '../../../shared/contract/jobs/job.ts';
import { cappedKey } from '../../../shared/domain/accounts/key-restrictions.ts';
import type { SlotRequest } from '../../../shared/domain/accounts/credits/admission.ts';
import { cost, costs } from '../../../shared/domain/accounts/credits/charge.ts';
import { limitsOf } from '../../../shared/domain/accounts/credits/plan.ts';
import {
  hasSlotForJob,
  newSlotId,
  slotsByJob,
  slotUntil,
} from '../../../shared/domain/accounts/credits/slots.ts';
import { toBacklog } from '../../../shared/domain/jobs/state.ts';
import { admitMost, isShort } from '../../../shared/domain/accounts/credits/admit-most.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { ownedElsewhere, type JobOutcome } from './job-outcome.ts';
import { retryDelaySeconds } from '../../../shared/domain/work/attempts.ts';

type Needs = Pick<Effects, 'jobs' | 'keys' | 'usage' | 'waitList' | 'now' | 'newId'>;

/** A slot taken for a job, and the usage at that time. */
export type HeldSlot = { id: string; usage: Usage };

export type SlotResult =
  { slot: HeldSlot } | { refusal: 'insufficient_credits' | 'key_not_allowed' } | { verdict: JobOutcome };

/** Takes a slot for a job, which nobody owns yet. Waiting for one uses up no attempt. */
export async function takeSlot(
  fx: Needs,
  job: OpenJob,
  organization: Organization,
  { isSlotLikely = false }: { isSlotLikely?: boolean | undefined },
): Promise<SlotResult> {
  if (!isSlotLikely && !(await isSlotFree(fx, organization))) {
    if (await waitForSlot(fx, job, organization)) return { verdict: { outcome: 'waits' } };
  }
  const wanted = await slotFor(fx, job);
  const { admission } = await admitMost(costs(job.request), (credits) =>
    fx.usage.admit(organization, { ...wanted, credits }, fx.now()),
  );
  if (admission.outcome === 'admitted') return { slot: { id: wanted.slot.id, usage: admission.usage } };
  if (isShort(admission)) {
    return isElsewhere(admission.usage, job)
      ? { verdict: ownedElsewhere(retryDelaySeconds(1)) }
      : { refusal: admission.code as 'insufficient_credits' | 'key_not_allowed' };
  }
  const isWaiting = await waitForSlot(fx, job, organization);
  // A slot came free only after the job was refused.
  return { verdict: isWaiting ? { outcome: 'waits' } : { outcome: 'again', afterSeconds: 1 } };
}

/** Whether another worker has taken a slot for the job, which nobody has started when it was read. */
function isElsewhere(usage: Usage, job: OpenJob): boolean {
  return job.slot === undefined && slotsByJob(usage)(job).length > 0;
}

/** The slot that the job's submit took for its first attempt. */
export async function slotOfSubmit(
  fx: Pick<Needs, 'keys' | 'usage' | 'waitList' | 'now'>,
  { status, slot: id }: OpenJob,
  organization: Organization,
): Promise<HeldSlot | undefined> {
  if (status !== 'pending' || id === undefined) return undefined;
  return { id, usage: await fx.usage.read(organization, fx.now()) };
}

/** What to ask for: a slot that no other attempt has had, and the most credits that the job may cost. */
export async function slotFor(fx: Omit<Needs, 'jobs'>, job: OpenJob): Promise<SlotRequest> {
  const slot = { id: newSlotId(job, fx.newId()), until: slotUntil(fx.now()) };
  const record = await fx.keys.find(job.keyId);
  return { credits: cost(job.request), slot, key: cappedKey(job.keyId, record?.restrictions) };
}

async function isSlotFree(fx: Needs, organization: Organization): Promise<boolean> {
  const usage = await fx.usage.read(organization, fx.now());
  return hasSlotForJob(usage, limitsOf(organization), fx.now());
}

/** Puts the job into the backlog. False, without any change, if a slot is free after all. */
async function waitForSlot(fx: Needs, job: OpenJob, organization: Organization): Promise<boolean> {
  if (!(await fx.waitList.noteWaiting(organization, fx.now()))) return false;
  // If another process has changed the job, that process continues it.
  if (!job.isWaiting) await fx.jobs.replace(job, toBacklog(job, fx.now()));
  return true;
}
