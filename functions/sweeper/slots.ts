import type { Organization } from '../../shared/contract/accounts/account.ts';
import type { Job } from '../../shared/contract/jobs/job.ts';
import { holderOf, type JobSlot, slotsOfJobs } from '../../shared/domain/accounts/credits/slots.ts';
import { isFinished } from '../../shared/domain/jobs/state.ts';
import { claimableAt, endOfTime, isLeftUnsettled } from '../../shared/domain/jobs/timing.ts';
import { freeSlot, settleJob } from '../../shared/use-cases/jobs/finish-job.ts';
import { reclaimJob } from '../../shared/use-cases/jobs/reclaim-job.ts';
import { failJob, type Needs } from './jobs.ts';
import type { Due } from './sweep-due.ts';
import { fenced } from '../../shared/domain/work/lease.ts';

type Listed = { orgId: string };
type Steps = Partial<Record<'freed' | 'settled' | 'failed' | 'resent', number>>;
type Holding = { organization: Organization; slot: JobSlot };

/** A worker begins the job in a slot within this time, unless it has died. */
const STRAY_MS = 60_000;
/** Longer than the function that submits jobs may run. */
export const ABANDONED_MS = 6 * 60_000;

/** Organizations whose jobs have slots: the work grows with the slots that are taken now. */
export function organizationsWithSlots(fx: Needs): Due<Listed, keyof Steps> {
  return {
    name: 'organizations with slots',
    list: async () => fx.waitList.list(),
    idOf: ({ orgId }) => orgId,
    moveOn: ({ orgId }) => sweepSlots(fx, orgId),
    concurrency: 20,
  };
}

/** Settles jobs that ended, and takes the others from owners that have died. */
async function sweepSlots(fx: Needs, orgId: string): Promise<Steps> {
  const organization = await fx.organizations.find(orgId);
  if (organization === undefined) return {};
  const usage = await fx.usage.read(organization, fx.now());
  const taken = await Promise.allSettled(
    slotsOfJobs(usage).map(async (slot) => {
      const job = await fx.jobs.find(holderOf(slot.slotId));
      const holding = { organization, slot };
      return job ? moveOn(fx, job, holding) : freeAbandoned(fx, holding);
    }),
  );
  const faults = taken.flatMap((step) => (step.status === 'rejected' ? [step.reason as unknown] : []));
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} slots could not be swept`);
  const steps = taken.flatMap((step) => (step.status === 'fulfilled' && step.value ? [step.value] : []));
  return Object.fromEntries(
    Object.entries(Object.groupBy(steps, (step) => step)).map(([step, { length }]) => [step, length]),
  );
}

async function moveOn(fx: Needs, job: Job, holding: Holding): Promise<keyof Steps | undefined> {
  const { organization, slot } = holding;
  if (job.slot !== slot.slotId) return freeStray(fx, job, holding);
  if (isFinished(job)) {
    if (!isLeftUnsettled(job, fx.now())) return undefined;
    await settleJob(fx, job);
    return 'settled';
  }
  if (claimableAt(job) > fx.now()) return undefined;
  if (endOfTime(job) <= fx.now()) {
    await failJob(fx, job, 'deadline_exceeded');
    return 'failed';
  }
  if (job.status === 'pending' && ageOf(slot, fx.now()) < STRAY_MS) return undefined;
  const released = await reclaimJob(fx, organization, job);
  if (released) await fx.queue.send(released);
  return released && 'resent';
}

/** Frees a slot in which its job does not run: its worker died before the start, or after the release. */
async function freeStray(fx: Needs, job: Job, { organization, slot }: Holding) {
  if (ageOf(slot, fx.now()) < STRAY_MS) return undefined;
  const mayStart = !isFinished(job) && job.slot === undefined && slot.token === job.fencingToken;
  // A worker that is merely slow must not start in a slot that is free.
  if (mayStart && !(await fx.jobs.replace(job, fenced(job)))) return undefined;
  await freeSlot(fx, organization, job, slot.slotId);
  return 'freed' as const;
}

/** Frees a slot without a job: its submit died before it stored the job, or the job has been deleted. */
async function freeAbandoned(fx: Needs, { organization, slot }: Holding) {
  if (ageOf(slot, fx.now()) < ABANDONED_MS) return undefined;
  await fx.usage.settle(organization, slot, fx.now());
  return 'freed' as const;
}

function ageOf({ takenAt }: JobSlot, now: Date): number {
  return Number(now) - Number(takenAt);
}
