import type { Job } from '../../contract/jobs/job.ts';
import { slotsByJob } from '../../domain/accounts/credits/slots.ts';
import { inSlot, startsBySlot } from '../../domain/jobs/attempt.ts';
import type { Effects } from '../../ports/effects.ts';

type Needs = Pick<Effects, 'organizations' | 'usage' | 'now'>;

/**
 * Shows an organization's jobs with their status: a job of a backlog runs while it has a slot, which its
 * item does not say. Read the jobs afterwards, so that none that has ended seems to wait again.
 */
export async function seeSlots(fx: Needs, orgId: string): Promise<(job: Job) => Job> {
  const organization = await fx.organizations.find(orgId);
  const usage = organization && (await fx.usage.read(organization, fx.now()));
  const slotsOf = slotsByJob(usage);
  return (job) => {
    const [slot] = slotsOf(job);
    return slot ? inSlot(job, slot) : job;
  };
}

/**
 * The status of a job that was read moments ago. Only if it waited, the slots are read, and the job again.
 */
export async function currentJob(
  fx: Needs & { jobs: Pick<Effects['jobs'], 'find'> },
  job: Job,
): Promise<Job | undefined> {
  if (!startsBySlot(job)) return job;
  const current = await seeSlots(fx, job.orgId);
  const again = await fx.jobs.find(job.id);
  return again && current(again);
}
