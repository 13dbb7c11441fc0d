import type { Job } from '../../shared/contract/job.ts';
import type { Effects } from '../../shared/ports.ts';

/** One of the first jobs in an organization's backlog; undefined if there is none. */
export type Choose = (orgId: string, isBrowserFree: boolean) => Promise<Job | undefined>;

type Needs = Pick<Effects, 'jobs' | 'now'>;

/** Invocations choose among this many jobs, so that few choose the same one. */
const CHOICE = 50;
/** An older list is read again. */
const FRESH_MS = 300;
/** The index lists a job for a moment after it began. Fewer than this many begin in that time. */
const MOST_REMEMBERED = 100;

/** Chooses for one invocation: no job twice, and with one read of the backlog for several slots. */
export function chooseJobs({ jobs, now }: Needs): Choose {
  const begun = new Set<string>();
  const read = new Map<string, { jobs: readonly Job[]; at: number }>();

  return async (orgId, isBrowserFree) => {
    const isWanted = ({ id, request }: Job) => !begun.has(id) && (isBrowserFree || !request.renderJs);
    const known = read.get(orgId);
    let choice = known && now().getTime() - known.at < FRESH_MS ? known.jobs.filter(isWanted) : [];
    if (choice.length === 0) {
      const listed = await jobs.waiting(orgId, CHOICE + begun.size);
      read.set(orgId, { jobs: listed, at: now().getTime() });
      choice = listed.filter(isWanted);
    }
    const chosen = choice[Math.floor(Math.random() * Math.min(choice.length, CHOICE))];
    if (chosen) remember(chosen.id);
    return chosen;
  };

  function remember(id: string): void {
    begun.add(id);
    const [oldest] = begun;
    if (begun.size > MOST_REMEMBERED && oldest !== undefined) begun.delete(oldest);
  }
}
