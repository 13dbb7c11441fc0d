import type { Usage } from '../../../shared/contract/accounts/account.ts';
import type { Job, OpenJob } from '../../../shared/contract/jobs/job.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { waitingJobs } from '../../../shared/use-cases/jobs/waiting-jobs.ts';
import { readBacklogs } from './read-backlogs.ts';
import { recentReads } from './recent-reads.ts';

/** Invocations choose among this many jobs, so that few choose the same one. */
const CHOICE = 25;
/** The index lists a job for less than this after it ended. */
const LAG_MS = 2_000;

type SeeUsage = () => Promise<Usage | undefined>;

type Wanted = { orgId: string; isBrowserFree: boolean };

/** Chooses among an organization's jobs, and none twice. */
export function chooseJobs(fx: Pick<Effects, 'jobs' | 'now'>) {
  const { now } = fx;
  /** Until when jobs that were chosen may still be listed, by their ids. */
  const chosen = new Map<string, number>();
  const waiting = recentReads<OpenJob>(now, ({ id }) => {
    for (const [other, until] of chosen) if (until < now().getTime()) chosen.delete(other);
    chosen.set(id, Infinity);
  });
  const readBacklog = readBacklogs(now);
  return {
    choose: async ({ orgId, isBrowserFree }: Wanted, see: SeeUsage) => {
      return waiting.take(orgId, {
        read: async () => {
          const usage = await see();
          const range = { limit: CHOICE, except: chosen };
          return readBacklog(orgId, (from) => waitingJobs(fx, orgId, usage, { ...range, from }));
        },
        isWanted: ({ id, request }) => !chosen.has(id) && (isBrowserFree || !request.renderJs),
        most: CHOICE,
      });
    },
    putBack: ({ id }: Job) => void chosen.delete(id),
    ended: ({ id }: Job) => void chosen.set(id, now().getTime() + LAG_MS),
  };
}
