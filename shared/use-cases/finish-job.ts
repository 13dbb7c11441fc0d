import type { FinishedJob, Job } from '../contract/job.ts';
import type { Organization, Usage } from '../contract/account.ts';
import { cost } from '../domain/credits/charge.ts';
import { jobLine } from '../domain/activity/lines.ts';
import { mustReport } from '../domain/credits/low-credits.ts';
import { type Ended, tallyOf } from '../domain/credits/usage-days.ts';
import { slotIdOf } from '../domain/credits/slots.ts';
import { closed, endOf } from '../domain/job/state.ts';
import type { Effects, Settlement } from '../ports.ts';
import { countInBatch } from './count-in-batch.ts';
import { tellOfJob } from './tell-of-job.ts';

/** What ending a job touches. */
export type FinishNeeds = Pick<
  Effects,
  'jobs' | 'batches' | 'accounts' | 'activity' | 'webhooks' | 'deliveries' | 'notices' | 'count' | 'now'
>;

/** Takes work that goes on beside the caller's next steps. */
export type Defer = (work: Promise<void>, job: Pick<Job, 'id' | 'orgId'>) => void;

/** Frees a slot, or hands it to the next job. */
export type Settle = (organization: Organization, settlement: Settlement) => Promise<Usage>;

type Options = { defer?: Defer | undefined; settle?: Settle | undefined };

/** `awaited`: other jobs of the organization wait for the slot. `lost`: nothing was written or charged. */
export type Finish = 'finished' | 'awaited' | 'lost';

/**
 * Writes how a job ended, settles its slot, then closes it. Safe to run again by any process after
 * a crash at any point. `lost` if the job no longer matches `before`.
 */
export async function finishJob(
  fx: FinishNeeds,
  before: Job,
  finished: FinishedJob,
  options: Options = {},
): Promise<Finish> {
  if (!(await fx.jobs.replace(before, finished))) return 'lost';
  if (finished.completedAt >= finished.deadlineAt) fx.count('JobsSettledLate', 1);
  const usage = await settleJob(fx, finished, options);
  return usage?.isAwaited ? 'awaited' : 'finished';
}

/**
 * Settles the slot of a finished job, emits its event, records and counts it, and takes it off the sweeper's
 * list. With `defer` it returns once the slot is free.
 */
export async function settleJob(
  fx: Omit<FinishNeeds, 'count'>,
  job: FinishedJob,
  { defer, settle }: Options = {},
): Promise<Usage | undefined> {
  if (job.dueAt === undefined) return undefined;
  const usage = hasBegun(job) ? await chargeFor(fx, job, settle) : undefined;
  const closing = closeJob(fx, job, usage);
  if (defer) defer(closing, job);
  else await closing;
  return usage;
}

async function closeJob(
  fx: Omit<FinishNeeds, 'count'>,
  job: FinishedJob,
  usage: Usage | undefined,
): Promise<void> {
  await tellOfJob(fx, job, usage);
  // If this fails, the next scrape of the month does it.
  if (usage && mustReport(usage)) await fx.notices.credits(job.orgId).catch(() => undefined);
  await fx.activity.record(jobLine(job));
  await countInBatch(fx, job, usage);
  await fx.jobs.replace(job, closed(job));
}

/** Without a claim there was no slot. */
const hasBegun = ({ fencingToken }: Job) => fencingToken > 0;

async function chargeFor(
  fx: Pick<FinishNeeds, 'accounts' | 'now'>,
  job: FinishedJob,
  settle?: Settle,
): Promise<Usage | undefined> {
  const organization = await fx.accounts.findOrganization(job.orgId);
  return organization && settleSlot(fx, organization, job, { ended: endOf(job), settle });
}

/** Frees the slot that the job's owner took, if it did. Charges and counts the job if it ended. */
export async function settleSlot(
  fx: Pick<Effects, 'accounts' | 'now'>,
  organization: Organization,
  job: Job,
  { ended, settle = settleBy(fx) }: { ended?: Ended; settle?: Settle | undefined } = {},
): Promise<Usage> {
  const held = cost(job.request);
  return settle(organization, { slotId: slotIdOf(job), held, ended: ended && tallyOf(ended) });
}

const settleBy =
  ({ accounts, now }: Pick<Effects, 'accounts' | 'now'>): Settle =>
  (organization, settlement) =>
    accounts.settle(organization, settlement, now());
