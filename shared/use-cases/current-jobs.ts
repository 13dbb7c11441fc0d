import type { Job } from '../contract/job.ts';
import { slotsByJob } from '../domain/credits/slots.ts';
import { inSlot, startsBySlot } from '../domain/job/state.ts';
import type { Effects } from '../ports.ts';

type Needs = Pick<Effects, 'accounts' | 'now'>;

/**
 * Shows an organization's jobs as they are: one of a backlog is in progress while it has a slot, which its
 * item does not say. Read the jobs afterwards, so that none that has ended seems to wait again.
 */
export async function seeSlots({ accounts, now }: Needs, orgId: string): Promise<(job: Job) => Job> {
  const organization = await accounts.findOrganization(orgId);
  const usage = organization && (await accounts.usage(organization, now()));
  const slotsOf = slotsByJob(usage);
  return (job) => {
    const [slot] = slotsOf(job.id);
    return slot ? inSlot(job, slot) : job;
  };
}

/** A job as it is. Only if it waits, the slots are read, and the job again. */
export async function currentJob(
  fx: Needs & { jobs: Pick<Effects['jobs'], 'find'> },
  id: string,
): Promise<Job | undefined> {
  const stored = await fx.jobs.find(id);
  if (stored === undefined || !startsBySlot(stored)) return stored;
  const current = await seeSlots(fx, stored.orgId);
  const again = await fx.jobs.find(id);
  return again && current(again);
}
