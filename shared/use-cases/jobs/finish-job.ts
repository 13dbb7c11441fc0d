import type { FinishedJob, Job } from '../../contract/jobs/job.ts';
import type { Organization, Usage } from '../../contract/accounts/account.ts';
import { cost } from '../../domain/accounts/credits/charge.ts';
import { jobLine } from '../../domain/jobs/activity-line.ts';
import { mustReport } from '../../domain/accounts/credits/low-credits.ts';
import { tallyOf } from '../../domain/accounts/credits/usage-days.ts';
import { hasSlot } from '../../domain/accounts/credits/slots.ts';
import { closed, endOf } from '../../domain/jobs/state.ts';
import type { Effects } from '../../ports/effects.ts';
import { isAwaited, emitJobEvent } from '../webhooks/emit-job-event.ts';

/** What ending a job touches. */
export type FinishNeeds = Pick<
  Effects,
  | 'jobs'
  | 'organizations'
  | 'usage'
  | 'activity'
  | 'webhooks'
  | 'deliveries'
  | 'notifierQueue'
  | 'count'
  | 'now'
  | 'apiUrl'
>;

/** `awaited`: other jobs of the organization wait for the slot. `lost`: nothing was written or charged. */
export type Finish = 'finished' | 'awaited' | 'lost';

/**
 * Writes how a job ended, records it, then settles its slot. Safe to run again by any process after a crash
 * at any point. `lost` if the job no longer matches `before`. `seen` is the usage when the job got its slot:
 * without it, endpoints are looked up.
 */
export async function finishJob(
  fx: FinishNeeds,
  before: Job,
  finished: FinishedJob,
  seen?: Usage,
): Promise<Finish> {
  if (!(await fx.jobs.replace(before, finished))) return 'lost';
  if (finished.completedAt >= finished.deadlineAt) fx.count('JobsSettledLate', 1);
  const usage = await recordAndSettle(fx, finished, seen);
  return usage?.waiting.isAwaited ? 'awaited' : 'finished';
}

/** Completes a `finishJob` that a dead process left undone, as the job's slot or due time shows. */
export async function settleJob(
  fx: Omit<FinishNeeds, 'count'>,
  job: FinishedJob,
): Promise<Usage | undefined> {
  if (job.dueAt !== undefined) return recordAndSettle(fx, job);
  if (job.slot === undefined) return undefined;
  const organization = await fx.organizations.find(job.orgId);
  const usage = organization && (await fx.usage.read(organization, fx.now()));
  return usage && hasSlot(usage, job.slot) ? recordAndSettle(fx, job) : usage;
}

/** Emits the event, records the job, and settles its slot last: until then it is found by that. */
async function recordAndSettle(
  fx: Omit<FinishNeeds, 'count'>,
  job: FinishedJob,
  seen?: Usage,
): Promise<Usage | undefined> {
  await Promise.all([emitJobEvent(fx, job, seen), fx.activity.record(jobLine(job))]);
  const usage = await chargeJob(fx, job);
  // The endpoint was created while the job ran.
  if (seen && usage && isAwaited(job, usage) && !isAwaited(job, seen)) await emitJobEvent(fx, job, usage);
  if (job.dueAt !== undefined) await fx.jobs.replace(job, closed(job));
  // If this fails, the next scrape of the month does it.
  if (usage && mustReport(usage)) await fx.notifierQueue.credits(job.orgId).catch(() => undefined);
  return usage;
}

/** Charges and counts the job, and frees its slot. */
async function chargeJob(
  fx: Pick<FinishNeeds, 'organizations' | 'usage' | 'now'>,
  job: FinishedJob,
): Promise<Usage | undefined> {
  const organization = await fx.organizations.find(job.orgId);
  if (organization === undefined || job.slot === undefined) return undefined;
  const settlement = { slotId: job.slot, held: cost(job.request), ended: tallyOf(endOf(job)) };
  return fx.usage.settle(organization, settlement, fx.now());
}

/** Frees a slot that was taken for a job, which has not ended in it. Without the slot, nothing changes. */
export function freeSlot(
  fx: Pick<Effects, 'organizations' | 'usage' | 'now'>,
  organization: Organization,
  { request }: Job,
  slotId: string,
): Promise<Usage> {
  return fx.usage.settle(organization, { slotId, held: cost(request) }, fx.now());
}
