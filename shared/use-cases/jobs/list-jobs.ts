import { type Job, JobId } from '../../contract/jobs/job.ts';
import type { JobsQuery } from '../../contract/jobs/job-list.ts';
import { cursorOf, readCursor } from '../../domain/cursor.ts';
import { idBefore } from '../../domain/accounts/credits/short-id.ts';
import { isVisible } from '../../domain/jobs/state.ts';
import type { Effects } from '../../ports/effects.ts';

type Needs = { jobs: Pick<Effects['jobs'], 'list'> } & Pick<Effects, 'now'>;

/** The most jobs that one call reads, even if few of them match. */
const MAX_LOOKED_AT = 1_000;
const CONCURRENCY = 100;
/** Read first, as they may be long enough to fill a page. */
const FIRST = 40;

/**
 * An organization's jobs, newest first. Each job is on exactly one page, even while others are submitted or
 * settled. A page may be short, or empty, and still have a cursor; no more is read once it is full. Throws
 * `invalid_request` for a cursor that never was a `next_cursor`.
 */
export async function listJobs(
  fx: Needs,
  orgId: string,
  query: JobsQuery,
  isFull: (found: readonly Job[]) => boolean = () => false,
): Promise<{ jobs: Job[]; nextCursor?: string }> {
  const { limit, cursor, createdAfter, createdBefore } = query;
  const found: Job[] = [];
  const after = createdAfter && idBefore(new Date(createdAfter));
  const bounds = [
    cursor === undefined ? undefined : readCursor(cursor, isJobId),
    createdBefore && idBefore(new Date(createdBefore)),
  ];
  let [before] = bounds.filter((bound) => bound !== undefined && bound !== '').sort();
  const hasFilter = query.status !== undefined || query.tag !== undefined;
  for (let lookedAt = 0; lookedAt < MAX_LOOKED_AT && !isFull(found);) {
    // One job more than the limit shows whether there is a next page.
    const wanted = hasFilter ? CONCURRENCY : limit + 1 - found.length;
    const size = Math.min(wanted, lookedAt === 0 ? FIRST : CONCURRENCY);
    lookedAt += size;
    const page = await fx.jobs.list(orgId, { after, before, limit: size });
    for (const job of page.jobs) {
      if (found.length === limit) return { jobs: found, nextCursor: cursorOf(before ?? '') };
      before = job.id;
      if (isVisible(job, fx.now()) && isWanted(job, query)) found.push(job);
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
