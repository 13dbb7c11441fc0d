import { type Job, JobId, type JobsQuery } from '../contract/job.ts';
import { cursorOf, readCursor } from '../domain/cursor.ts';
import { idBefore } from '../domain/credits/short-id.ts';
import { isVisible } from '../domain/job/state.ts';
import type { Effects } from '../ports.ts';

type Needs = { jobs: Pick<Effects['jobs'], 'list'> } & Pick<Effects, 'now'>;

/** Jobs that one call reads at most, even if few of them match. */
const MOST_LOOKED_AT = 1_000;
const AT_ONCE = 100;

/**
 * An organization's jobs, newest first. Each job is on exactly one page, even while others are submitted or
 * settled. A page may be short, or empty, and still have a cursor. Throws `invalid_request` for a cursor that
 * never was a `next_cursor`.
 */
export async function listJobs(
  { jobs, now }: Needs,
  orgId: string,
  query: JobsQuery,
): Promise<{ jobs: Job[]; nextCursor?: string }> {
  const { limit, cursor, createdAfter, createdBefore } = query;
  const found: Job[] = [];
  const after = createdAfter && idBefore(new Date(createdAfter));
  const bounds = [cursor && readCursor(cursor, isJobId), createdBefore && idBefore(new Date(createdBefore))];
  let [before] = bounds.filter((bound) => bound !== undefined && bound !== '').sort();
  for (let lookedAt = 0; lookedAt < MOST_LOOKED_AT; lookedAt += AT_ONCE) {
    const page = await jobs.list(orgId, { after, before, limit: AT_ONCE });
    for (const job of page.jobs) {
      if (found.length === limit) return { jobs: found, nextCursor: cursorOf(before ?? '') };
      before = job.id;
      if (isVisible(job, now()) && isWanted(job, query)) found.push(job);
    }
    if (page.next === undefined) return { jobs: found };
    before = page.next;
  }
  return { jobs: found, nextCursor: cursorOf(before ?? '') };
}

function isWanted({ status, tags = [] }: Job, wanted: JobsQuery): boolean {
  return (
    (wanted.status === undefined || status === wanted.status) &&
    (wanted.tag === undefined || tags.includes(wanted.tag))
  );
}

const isJobId = (text: string) => JobId.safeParse(text).success;
