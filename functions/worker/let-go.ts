import type { Usage } from '../../shared/contract/accounts/account.ts';
import type { OpenJob } from '../../shared/contract/jobs/job.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { freeSlot } from '../../shared/use-cases/jobs/finish-job.ts';

/** Leaves a job to the process that changed it, which also settles the slot if it knew of the slot. */
export async function letGo(
  fx: Pick<Effects, 'organizations' | 'usage' | 'jobs' | 'now'>,
  job: OpenJob,
): Promise<Usage | undefined> {
  const organization = await fx.organizations.find(job.orgId);
  if (organization === undefined || job.slot === undefined) return undefined;
  const stored = await fx.jobs.find(job.id);
  const isKnown = stored?.slot === job.slot;
  return isKnown ? fx.usage.read(organization, fx.now()) : freeSlot(fx, organization, job, job.slot);
}
