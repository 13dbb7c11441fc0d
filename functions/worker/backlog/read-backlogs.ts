import type { OpenJob } from '../../../shared/contract/jobs/job.ts';

/** How long jobs that have become the first of a backlog may be overlooked while others wait. */
const FRONT_MS = 2_000;

/**
 * Reads the free jobs of a backlog from where they began at the last read: jobs with slots come first, and
 * may be many. Reads it from its start every two seconds, and when no other job is left.
 */
export function readBacklogs(now: () => Date) {
  const fronts = new Map<string, { from: Date; until: number }>();

  return async (name: string, list: (from?: Date) => Promise<OpenJob[]>): Promise<OpenJob[]> => {
    const front = fronts.get(name);
    const isRecent = front !== undefined && now().getTime() < front.until;
    const later = isRecent ? await list(front.from) : [];
    const isRead = later.length > 0;
    const listed = isRead ? later : await list();
    const from = listed[0]?.dueAt;
    const until = isRead && front ? front.until : now().getTime() + FRONT_MS;
    if (from) fronts.set(name, { from, until });
    else fronts.delete(name);
    return listed;
  };
}
