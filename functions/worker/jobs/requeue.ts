import type { Organization, Usage } from '../../../shared/contract/accounts/account.ts';
import type { RunningJob } from '../../../shared/contract/jobs/job.ts';
import { retry } from '../../../shared/domain/jobs/state.ts';
import type { AppError } from '../../../shared/errors.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { freeSlot } from '../../../shared/use-cases/jobs/finish-job.ts';
import type { JobOutcome } from './job-outcome.ts';
import { addMs } from '../../../shared/time/units.ts';

type Needs = Pick<Effects, 'organizations' | 'usage' | 'jobs' | 'now'>;

/** Releases the job until its next attempt, and its slot. */
export async function requeue(
  fx: Needs,
  job: RunningJob,
  organization: Organization,
  error: AppError,
  wait: Extract<JobOutcome, { afterSeconds: number }>,
): Promise<JobOutcome> {
  const released = retry(job, error, addMs(fx.now(), wait.afterSeconds * 1_000));
  const isReleased = await fx.jobs.replace(job, released);
  const usage =
    isReleased && job.slot !== undefined
      ? await freeSlot(fx, organization, job, job.slot)
      : await usageOf(fx, job.orgId);
  return { ...wait, ...(usage?.waiting.isAwaited && { awaitedIn: organization.id }) };
}

export async function usageOf(
  fx: Pick<Effects, 'organizations' | 'usage' | 'now'>,
  orgId: string,
): Promise<Usage | undefined> {
  const organization = await fx.organizations.find(orgId);
  return organization && fx.usage.read(organization, fx.now());
}
