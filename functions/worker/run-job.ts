import type { Organization } from '../../shared/contract/account.ts';
import type { Job, OpenJob } from '../../shared/contract/job.ts';
import { isFinished } from '../../shared/domain/job/state.ts';
import { claimableAt } from '../../shared/domain/job/timing.ts';
import { AppError } from '../../shared/errors.ts';
import { settleJob } from '../../shared/use-cases/finish-job.ts';
import { claimJob, type Claimed, takeSlot } from './claim-job.ts';
import { objectionToJob } from './objection-to.ts';
import { giveUp, scrapeJob, type AttemptContext, type AttemptNeeds } from './scrape-job.ts';
import { done, taken, type Verdict } from './verdict.ts';

type RunContext = AttemptContext & {
  /** A slot was free moments ago. */
  isSlotLikely?: boolean | undefined;
};

/** A job that was claimed while the page before it was stored. */
export type ClaimedAhead = {
  owned: OpenJob;
  /** When it could have been claimed. */
  readySince: Date;
  /** Whether it has a slot. */
  isAdmitted: boolean;
};

/**
 * Advances a job, by its id or as it was read or claimed moments ago, as far as possible. Safe to run twice,
 * concurrently, and to be killed after any line.
 */
export async function runJob(
  fx: AttemptNeeds,
  known: string | Job | ClaimedAhead,
  context: RunContext,
): Promise<Verdict> {
  if (typeof known !== 'string' && 'owned' in known) return runClaimed(fx, known, context);
  const job = typeof known === 'string' ? await fx.jobs.find(known) : known;
  if (job === undefined) return { outcome: 'done' };
  noteJob(context, job);
  if (isFinished(job)) {
    const usage = await settleJob(fx, job, context);
    return done(usage?.isAwaited, job.orgId);
  }
  const heldSeconds = secondsUntil(claimableAt(job), fx.now());
  if (heldSeconds > 0) return taken(heldSeconds);
  return admit(fx, job, claimableAt(job), context, (organization) =>
    claimJob(fx, job, organization, context),
  );
}

/** Everything may have changed since it was claimed, except its owner. */
function runClaimed(
  fx: AttemptNeeds,
  { owned, readySince, isAdmitted }: ClaimedAhead,
  context: RunContext,
): Promise<Verdict> {
  noteJob(context, owned);
  return admit(fx, owned, readySince, context, async (organization) =>
    isAdmitted ? { owned } : takeSlot(fx, owned, organization),
  );
}

async function admit(
  fx: AttemptNeeds,
  job: OpenJob,
  readySince: Date,
  context: RunContext,
  claim: (organization: Organization) => Promise<Claimed>,
): Promise<Verdict> {
  context.trail.attribute({ queue: fx.now().getTime() - readySince.getTime() });
  context.trail.enter('admission');
  const organization = await fx.accounts.findOrganization(job.orgId);
  const objection = await objectionToJob(fx, job, organization);
  if (objection || !organization) return giveUp(fx, job, new AppError(objection ?? 'unauthorized'), context);
  const claimed = await claim(organization);
  if ('verdict' in claimed) return claimed.verdict;
  const { owned, refusal } = claimed;
  return refusal
    ? giveUp(fx, owned, new AppError(refusal), context)
    : scrapeJob(fx, owned, organization, context);
}

function noteJob({ trail }: RunContext, { requestId, orgId, request, status, attempt }: Job): void {
  trail.note({ requestId, orgId, url: request.url, status, attempt });
}

function secondsUntil(time: Date, now: Date): number {
  return Math.ceil((time.getTime() - now.getTime()) / 1_000);
}
