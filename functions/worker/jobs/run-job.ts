import type { Organization } from '../../../shared/contract/accounts/account.ts';
import type { Job, OpenJob } from '../../../shared/contract/jobs/job.ts';
import { isFinished } from '../../../shared/domain/jobs/state.ts';
import { claimableAt } from '../../../shared/domain/jobs/timing.ts';
import { AppError } from '../../../shared/errors.ts';
import { settleJob } from '../../../shared/use-cases/jobs/finish-job.ts';
import { reclaimJob } from '../../../shared/use-cases/jobs/reclaim-job.ts';
import { reasonNotToRunJob } from '../reason-not-to-run.ts';
import { giveUpJob, attemptJob, type AttemptContext, type AttemptNeeds } from './attempt-job.ts';
import { slotOfSubmit, takeSlot } from './take-slot.ts';
import { done, ownedElsewhere, type JobOutcome } from './job-outcome.ts';
import { retryDelaySeconds } from '../../../shared/domain/work/attempts.ts';

/** Its id, or a recent read. */
export type KnownJob = string | { job: Job };

export type RunContext = AttemptContext & {
  /** A slot was free moments ago. */
  isSlotLikely?: boolean | undefined;
};

/**
 * Advances a job, by its id or by a recent read, as far as possible. Safe to run twice, concurrently, and to
 * be killed after any line.
 */
export async function runJob(fx: AttemptNeeds, known: KnownJob, context: RunContext): Promise<JobOutcome> {
  const { job } = typeof known === 'string' ? { job: await fx.jobs.find(known) } : known;
  if (job === undefined) return { outcome: 'done' };
  const { requestId, orgId, request, status, attempt } = job;
  context.requestLog.note({ requestId, orgId, url: request.url, status, attempt });
  if (isFinished(job)) {
    const usage = await settleJob(fx, job);
    return done(usage?.waiting.isAwaited, job.orgId);
  }
  const heldSeconds = secondsUntil(claimableAt(job), fx.now());
  if (heldSeconds > 0) return ownedElsewhere(heldSeconds);
  context.requestLog.attribute({ queue: fx.now().getTime() - claimableAt(job).getTime() });
  context.requestLog.enter('admission');
  return begin(fx, job, context);
}

/** Everything may have changed since the job was read or its slot was taken. */
async function begin(fx: AttemptNeeds, job: OpenJob, context: RunContext): Promise<JobOutcome> {
  const organization = await fx.organizations.find(job.orgId);
  const objection = await reasonNotToRunJob(fx, job, organization);
  if (objection || !organization)
    return giveUpJob(fx, job, new AppError(objection ?? 'unauthorized'), context);
  const slot = await slotOfSubmit(fx, job, organization);
  if (slot) return attemptJob(fx, job, slot, organization, context);
  const free = await withoutSlot(fx, job, organization);
  if (free === undefined) return ownedElsewhere(retryDelaySeconds(1));
  const found = await takeSlot(fx, free, organization, context);
  if ('verdict' in found) return found.verdict;
  return 'refusal' in found
    ? giveUpJob(fx, free, new AppError(found.refusal), context)
    : attemptJob(fx, free, found.slot, organization, context);
}

/** The job without the slot that a dead owner has left. */
async function withoutSlot(
  fx: AttemptNeeds,
  job: OpenJob,
  organization: Organization,
): Promise<OpenJob | undefined> {
  const isLeft = job.status === 'running' && job.slot !== undefined;
  return isLeft ? reclaimJob(fx, organization, job) : job;
}

function secondsUntil(time: Date, now: Date): number {
  return Math.ceil((time.getTime() - now.getTime()) / 1_000);
}
