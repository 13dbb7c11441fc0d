import type { Organization } from '../../shared/contract/accounts/account.ts';
import type { Job } from '../../shared/contract/jobs/job.ts';
import { holderOf, type JobSlot, slotsOfJobs } from '../../shared/domain/accounts/credits/slots.ts';
import { inSlot } from '../../shared/domain/jobs/attempt.ts';
import { fenced, isFinished } from '../../shared/domain/jobs/state.ts';
import { claimableAt, endOfTime, isLeftUnsettled } from '../../shared/domain/jobs/timing.ts';
import { freeSlot, settleJob } from '../../shared/use-cases/jobs/finish-job.ts';
import { takeAway } from '../../shared/use-cases/jobs/take-away.ts';
import { atOnce } from '../../shared/time/at-once.ts';
import { failJob, type Needs } from './sweep.ts';

type Swept = Record<'freed' | 'settled' | 'failed' | 'resent', number>;
type Holding = { organization: Organization; slot: JobSlot };

/** Organizations at a time. */
const AT_ONCE = 20;
/** A worker begins the job in a slot within this time, unless it has died. */
const STRAY_MS = 60_000;
/** Longer than the function that submits jobs may run. */
export const ABANDONED_MS = 6 * 60_000;

/**
 * Looks at every slot of a job: settles jobs that ended, and takes the others from owners that have died. Its
 * work grows with the slots that are taken now. Throws at the end if one could not be swept.
 */
export async function sweepSlots(fx: Needs, signal: AbortSignal): Promise<Swept> {
  const swept: Swept = { freed: 0, settled: 0, failed: 0, resent: 0 };
  const faults: unknown[] = [];
  await atOnce(AT_ONCE, await fx.accounts.listedOrganizations(), async ({ orgId }) => {
    if (signal.aborted) return;
    const steps = await sweepSlotsOf(fx, orgId).catch((error: unknown) => {
      faults.push(error);
      return [];
    });
    for (const step of steps) {
      if (step.status === 'rejected') faults.push(step.reason);
      else if (step.value) swept[step.value] += 1;
    }
  });
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} slots could not be swept`);
  return swept;
}

async function sweepSlotsOf(fx: Needs, orgId: string) {
  const organization = await fx.accounts.findOrganization(orgId);
  if (organization === undefined) return [];
  const usage = await fx.accounts.usage(organization, fx.now());
  return Promise.allSettled(
    slotsOfJobs(usage).map(async (slot) => {
      const job = await fx.jobs.find(holderOf(slot.slotId));
      const holding = { organization, slot };
      return job ? moveOn(fx, inSlot(job, slot), holding) : freeAbandoned(fx, holding);
    }),
  );
}

async function moveOn(fx: Needs, job: Job, holding: Holding): Promise<keyof Swept | undefined> {
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
  const released = await takeAway(fx, organization, job);
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
  await fx.accounts.settle(organization, slot, fx.now());
  return 'freed' as const;
}

function ageOf({ takenAt }: JobSlot, now: Date): number {
  return Number(now) - Number(takenAt);
}
