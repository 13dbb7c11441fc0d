import type { Usage } from '../contract/account.ts';
import type { Job } from '../contract/job.ts';
import { slotsOfJobs } from '../domain/credits/slots.ts';
import type { Effects } from '../ports.ts';

/** Those from a `dueAt` on, of an organization or of one of its batches. */
type Backlog = { orgId: string; batchId?: string | undefined; from?: Date | undefined };

/** Jobs of a backlog that have no slot in their organization's usage, the earliest deadline first. */
export async function waitingJobs(
  { jobs }: Pick<Effects, 'jobs'>,
  { orgId, batchId, from }: Backlog,
  usage: Usage | undefined,
  limit: number,
): Promise<Job[]> {
  const begun = new Set((usage ? slotsOfJobs(usage) : []).map(({ jobId }) => jobId));
  // The jobs that began are the first of a backlog.
  const most = from ? limit : limit + begun.size;
  const listed = await jobs.waiting(orgId, most, batchId, from);
  return listed.filter(({ id }) => !begun.has(id)).slice(0, limit);
}
