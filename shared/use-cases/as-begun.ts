import type { Job } from '../contract/job.ts';
import { slotsOfJob } from '../domain/credits/slots.ts';
import { beginsInSlot, begunIn } from '../domain/job/state.ts';
import type { Effects } from '../ports.ts';

type Needs = Pick<Effects, 'accounts' | 'now'>;

/**
 * Jobs of one organization as they are: one of a backlog is in progress since it has a slot, which its item
 * does not say. Reads the usage if one of them waits.
 */
export async function asBegun(fx: Needs, jobs: readonly Job[]): Promise<Job[]> {
  const waiting = jobs.find(beginsInSlot);
  const organization = waiting && (await fx.accounts.findOrganization(waiting.orgId));
  if (organization === undefined) return [...jobs];
  const usage = await fx.accounts.usage(organization, fx.now());
  return jobs.map((job) => {
    const [slot] = slotsOfJob(usage, job.id);
    return slot ? begunIn(job, slot) : job;
  });
}
