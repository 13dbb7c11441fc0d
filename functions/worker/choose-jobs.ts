import type { Job } from '../../shared/contract/job.ts';
import type { Effects } from '../../shared/ports.ts';
import { recentReads } from './recent-reads.ts';

/** Invocations choose among this many jobs, so that few choose the same one. */
const CHOICE = 25;
/** The index lists a job for less than this after it began. */
const LAG_MS = 2_000;

/** Chooses among an organization's single jobs, or those of a batch, and none twice. */
export function chooseJobs({ jobs, now }: Pick<Effects, 'jobs' | 'now'>) {
  /** When each job began, by its id. */
  const begun = new Map<string, number>();
  const waiting = recentReads<Job>(now, ({ id }) => {
    const time = now().getTime();
    begun.set(id, time);
    for (const [other, at] of begun) if (time - at > LAG_MS) begun.delete(other);
  });
  return {
    choose: async (orgId: string, isBrowserFree: boolean, batchId?: string) =>
      waiting.take(`${orgId} ${batchId ?? ''}`, {
        read: async () => jobs.waiting(orgId, CHOICE + begun.size, batchId),
        isWanted: ({ id, request }) => !begun.has(id) && (isBrowserFree || !request.renderJs),
        most: CHOICE,
      }),
    putBack: ({ id }: Job) => void begun.delete(id),
  };
}
