import type { Job, OpenJob } from '../../../shared/contract/jobs/job.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { ttlCache } from './ttl-cache.ts';

/** Invocations choose among this many jobs, so that few choose the same one. */
const CHOICE = 25;
/** The index lists a job for less than this after it began or ended. */
const LAG_MS = 2_000;

type Wanted = { orgId: string; isBrowserFree: boolean };

/** Chooses among an organization's jobs, and none twice. */
export function chooseJobs(fx: Pick<Effects, 'jobs' | 'now'>) {
  const { now } = fx;
  /** Until when jobs that were chosen may still be listed, by their ids. */
  const chosen = new Map<string, number>();
  const waiting = ttlCache<OpenJob>(now, ({ id }) => {
    for (const [other, until] of chosen) if (until < now().getTime()) chosen.delete(other);
    chosen.set(id, Infinity);
  });
  /** The first jobs of a backlog, without chosen jobs still listed. */
  const read = async (orgId: string) => {
    const found: OpenJob[] = [];
    let after: OpenJob | undefined;
    do {
      const page = await fx.jobs.waiting(orgId, { limit: CHOICE, after });
      found.push(...page.filter(({ id }) => !chosen.has(id)));
      after = page.length === CHOICE ? page.at(-1) : undefined;
    } while (after && found.length < CHOICE);
    return found;
  };
  return {
    choose: ({ orgId, isBrowserFree }: Wanted) =>
      waiting.take(orgId, {
        read: () => read(orgId),
        isWanted: ({ id, request }) => !chosen.has(id) && (isBrowserFree || !request.renderJs),
        most: CHOICE,
      }),
    putBack: ({ id }: Job) => void chosen.delete(id),
    ended: ({ id }: Job) => void chosen.set(id, now().getTime() + LAG_MS),
  };
}
