import type { Crawl } from '../../contract/crawls/crawl.ts';
import { addMs, MINUTE_MS, SECOND_MS } from '../../time/units.ts';
import { jitter } from '../work/jitter.ts';
import { expiryAfter } from '../work/retention.ts';

/** The sweeper has a crawl planned again that nobody has planned for so long. */
const DUE_MS = MINUTE_MS;
/** Crawls that were planned together are not all due together. */
const DUE_SPREAD_MS = 30 * SECOND_MS;
/** Of a merge. A longer one renews its lease. */
export const MERGE_LEASE_MS = 3 * MINUTE_MS;

type NewCrawl = Pick<
  Crawl,
  | 'id'
  | 'orgId'
  | 'keyId'
  | 'requestId'
  | 'request'
  | 'tags'
  | 'webhook'
  | 'compatHook'
  | 'retryOf'
  | 'retryInclude'
>;

/** A crawl that has found nothing yet. It needs to be planned. */
export function newCrawl(crawl: NewCrawl, now: Date): Crawl {
  return {
    ...crawl,
    status: 'running',
    version: 0,
    outcomes: {},
    queued: 0,
    asked: 0,
    credits: 0,
    fencingToken: 0,
    revision: 0,
    createdAt: now,
    deadlineAt: addMs(now, crawl.request.completeWithin * SECOND_MS),
    dueAt: dueAfter(crawl.id, 0, now),
    // Storage keeps the objects as long, the oldest of which are as old as the crawl.
    expiresAt: expiryAfter(now),
  };
}

/** Fields to change. A field that is undefined is removed. */
export type CrawlChanges = { [K in keyof Crawl]?: Crawl[K] | undefined };

/** The crawl with changes, as `Crawls.replace` takes it. It is due again a minute later. */
export function changed(crawl: Crawl, changes: CrawlChanges, now: Date): Crawl {
  const revision = crawl.revision + 1;
  const after = { ...crawl, dueAt: dueAfter(crawl.id, revision, now), ...changes, revision };
  return Object.fromEntries(Object.entries(after).filter(([, value]) => value !== undefined)) as Crawl;
}

/** No wave begins any more. What waits is given its outcome by the next merge. */
export function cancelled(crawl: Crawl, now: Date): Crawl {
  return changed(crawl, { status: 'cancelled', cancelledAt: crawl.cancelledAt ?? now }, now);
}

/** With a lease under the next fencing token. */
export function leased(crawl: Crawl, now: Date): Crawl {
  const lease = { fencingToken: crawl.fencingToken + 1, leasedUntil: addMs(now, MERGE_LEASE_MS) };
  return changed(crawl, lease, now);
}

/** Whether there is something to plan that no other process plans: see `planCrawl`. */
export function crawlMustPlan({ dueAt, leasedUntil }: Crawl, now: Date): boolean {
  return dueAt !== undefined && (leasedUntil === undefined || leasedUntil <= now);
}

const dueAfter = (id: string, revision: number, now: Date) =>
  addMs(now, DUE_MS + Math.round(jitter(id, revision) * DUE_SPREAD_MS));
