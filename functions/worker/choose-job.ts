import type { Batch } from '../../shared/contract/batch.ts';
import type { Job } from '../../shared/contract/job.ts';
import type { Effects } from '../../shared/ports.ts';

/** One of the first jobs in an organization's backlogs; undefined if there is none. */
export type Choose = (orgId: string, isBrowserFree: boolean) => Promise<Job | undefined>;

type Needs = Pick<Effects, 'jobs' | 'batches' | 'now'>;

/** Invocations choose among this many jobs, so that few choose the same one. */
const CHOICE = 50;
/** An older list is read again. */
const FRESH_MS = 300;
/** The index lists a job for a moment after it began. Fewer than this many begin in that time. */
const MOST_REMEMBERED = 100;
/** Batches that take turns. Others follow when these are done. */
const MOST_BATCHES = 50;

/**
 * Chooses for one invocation: no job twice, and with one read of a backlog for several slots. Single jobs go
 * before those of batches, and batches take turns at random.
 */
export function chooseJobs({ jobs, batches, now }: Needs): Choose {
  const begun = new Set<string>();
  const [waiting, open] = [recentReads<Job>(now), recentReads<Batch>(now)];

  return async (orgId, isBrowserFree) => {
    const isWanted = ({ id, request }: Job) => !begun.has(id) && (isBrowserFree || !request.renderJs);
    const single = await chooseFrom(orgId, isWanted);
    if (single) return single;
    const inTurn = await open.of(orgId, async () => batches.open(orgId, MOST_BATCHES));
    for (const { id } of shuffled(inTurn)) {
      const chosen = await chooseFrom(orgId, isWanted, id);
      if (chosen) return chosen;
    }
    return undefined;
  };

  async function chooseFrom(orgId: string, isWanted: (job: Job) => boolean, batchId?: string) {
    const backlog = `${orgId} ${batchId ?? ''}`;
    const read = async () => jobs.waiting(orgId, CHOICE + begun.size, batchId);
    let listed = await waiting.of(backlog, read);
    if (listed.length > 0 && !listed.some(isWanted)) listed = await waiting.again(backlog, read);
    const choice = listed.filter(isWanted);
    const chosen = choice[Math.floor(Math.random() * Math.min(choice.length, CHOICE))];
    if (chosen) {
      remember(chosen.id);
      listed.splice(listed.indexOf(chosen), 1);
    }
    return chosen;
  }

  function remember(id: string): void {
    begun.add(id);
    const [oldest] = begun;
    if (begun.size > MOST_REMEMBERED && oldest !== undefined) begun.delete(oldest);
  }
}

/** Lists that were read moments ago. A reader may take entries out. */
function recentReads<T>(now: () => Date) {
  const known = new Map<string, { list: T[]; at: number }>();
  const again = async (name: string, read: () => Promise<T[]>) => {
    const list = await read();
    known.set(name, { list, at: now().getTime() });
    return list;
  };
  return {
    again,
    of: async (name: string, read: () => Promise<T[]>) => {
      const { list, at } = known.get(name) ?? { list: [], at: -Infinity };
      return now().getTime() - at < FRESH_MS ? list : again(name, read);
    },
  };
}

function shuffled<T>(list: readonly T[]): T[] {
  return list
    .map((each) => ({ each, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ each }) => each);
}
