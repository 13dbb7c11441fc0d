import type { Job } from '../../shared/contract/job.ts';
import type { Effects } from '../../shared/ports.ts';
import { waitingJobs } from '../../shared/use-cases/waiting-jobs.ts';
import { readBacklogs } from './read-backlogs.ts';
import { recentReads } from './recent-reads.ts';

/** Invocations choose among this many jobs, so that few choose the same one. */
const CHOICE = 25;
/** The index lists a job for less than this after it ended. */
const LAG_MS = 2_000;

/** Chooses among an organization's single jobs, or those of a batch, and none twice. */
export function chooseJobs(fx: Pick<Effects, 'accounts' | 'jobs' | 'now'>) {
  const { accounts, now } = fx;
  /** Until when jobs that were chosen may still be listed, by their ids. */
  const chosen = new Map<string, number>();
  const waiting = recentReads<Job>(now, ({ id }) => {
    for (const [other, until] of chosen) if (until < now().getTime()) chosen.delete(other);
    chosen.set(id, Infinity);
  });
  const readOn = readBacklogs(now);
  const read = async (orgId: string, batchId: string | undefined) => {
    const organization = await accounts.findOrganization(orgId);
    const usage = organization && (await accounts.usage(organization, now()));
    return readOn(nameOf(orgId, batchId), {
      list: async (from) => waitingJobs(fx, { orgId, batchId, from }, usage, CHOICE + chosen.size),
      isFree: ({ id }) => !chosen.has(id),
    });
  };
  return {
    choose: async (orgId: string, isBrowserFree: boolean, batchId?: string) =>
      waiting.take(nameOf(orgId, batchId), {
        read: async () => read(orgId, batchId),
        isWanted: ({ id, request }) => !chosen.has(id) && (isBrowserFree || !request.renderJs),
        most: CHOICE,
      }),
    putBack: ({ id }: Job) => void chosen.delete(id),
    ended: ({ id }: Job) => void chosen.set(id, now().getTime() + LAG_MS),
  };
}

const nameOf = (orgId: string, batchId = '') => `${orgId} ${batchId}`;
