import type { UsageView } from '../../contract/accounts/account-view.ts';
import type {
  ActivityLine,
  ActivityPage,
  ActivityQuery,
  ActivityView,
} from '../../contract/accounts/activity.ts';
import { viewOf } from '../../domain/accounts/activity/lines.ts';
import { isPosition, positionFor } from '../../domain/accounts/activity/position.ts';
import { cursorOf, readCursor } from '../../domain/cursor.ts';
import { isSuccess } from '../../domain/accounts/credits/credits-reason.ts';
import { laterDay } from '../../domain/accounts/credits/usage-days.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';
import { addMs, DAY_MS } from '../../time/units.ts';

type Needs = Pick<Effects, 'activity' | 'now'>;

export const RETENTION_DAYS = 30;
/** The most lines that one call reads, even if few of them match. */
const MAX_LOOKED_AT = 1_000;
const CONCURRENCY = 100;
const SUMMED_AT_ONCE = 500;
const MAX_SUMMED = 50_000;

/** All conditions hold at once. Days are UTC, both included. */
export type ActivityFilter = Partial<
  Pick<ActivityQuery, 'host' | 'status' | 'verdict' | 'code' | 'keyId' | 'from' | 'to'>
>;

/**
 * The scrapes of the last 30 days that ended, newest first. Each line is on exactly one page, even if
 * lines are added in between. Throws `invalid_request` for a cursor that never was a `next_cursor`.
 */
export async function listActivity(
  { activity, now }: Needs,
  orgId: string,
  { limit, cursor, ...filter }: Pick<ActivityQuery, 'limit' | 'cursor'> & ActivityFilter,
): Promise<ActivityPage> {
  const found: ActivityLine[] = [];
  let before = cursor === undefined ? undefined : readCursor(cursor, isPosition);
  for (let lookedAt = 0; lookedAt < MAX_LOOKED_AT; lookedAt += CONCURRENCY) {
    const lines = await activity.lines(orgId, { ...range(filter, now()), before, limit: CONCURRENCY });
    for (const { position, line } of lines) {
      if (found.length === limit) return page(found, before);
      before = position;
      if (isWanted(line, filter)) found.push(line);
    }
    if (lines.length < CONCURRENCY) return page(found);
  }
  return page(found, before);
}

/** One line, by its id and its time. Throws `not_found`. */
export async function findActivity(
  { activity, now }: Needs,
  orgId: string,
  wanted: { id: string; time: Date },
): Promise<ActivityView> {
  const from = [positionFor(wanted), range({}, now()).from].sort().at(-1) ?? '';
  const [found] = await activity.lines(orgId, { from, to: `${positionFor(wanted)}~`, limit: 1 });
  if (found?.position === positionFor(wanted)) return viewOf(found.line);
  throw new AppError('not_found', { message: 'There is no such scrape.' });
}

/** Scrapes and credits of one host or key. */
export type ActivitySum = UsageView['total'] & { name: string };

export type ActivitySums = {
  /** Most credits first. */
  byHost: ActivitySum[];
  byKey: ActivitySum[];
  /** False if there were more lines than one call reads; the sums then cover the newest. */
  isComplete: boolean;
};

/** Sums by host and by key over the newest lines, at most `most`. */
export async function sumActivity(
  { activity, now }: Needs,
  orgId: string,
  filter: Pick<ActivityFilter, 'from' | 'to'>,
  most = MAX_SUMMED,
): Promise<ActivitySums> {
  const [hosts, keys] = [new Map<string, ActivitySum>(), new Map<string, ActivitySum>()];
  const done = (isComplete: boolean) => ({ byHost: sorted(hosts), byKey: sorted(keys), isComplete });
  let before: string | undefined;
  for (let lookedAt = 0; lookedAt < most; lookedAt += SUMMED_AT_ONCE) {
    const lines = await activity.lines(orgId, { ...range(filter, now()), before, limit: SUMMED_AT_ONCE });
    for (const { line } of lines) {
      add(hosts, line.host, line);
      add(keys, line.keyId, line);
    }
    before = lines.at(-1)?.position;
    if (lines.length < SUMMED_AT_ONCE) return done(true);
  }
  return done(false);
}

function sorted(sums: ReadonlyMap<string, ActivitySum>): ActivitySum[] {
  return [...sums.values()].sort((a, b) => b.credits - a.credits || b.scrapes - a.scrapes);
}

function add(sums: Map<string, ActivitySum>, name: string, { reason, credits }: ActivityLine): void {
  const sum = sums.get(name) ?? { name, scrapes: 0, succeeded: 0, failed: 0, credits: 0 };
  sums.set(name, {
    name,
    scrapes: sum.scrapes + 1,
    succeeded: sum.succeeded + Number(isSuccess(reason)),
    failed: sum.failed + Number(!isSuccess(reason)),
    credits: sum.credits + credits,
  });
}

function page(lines: readonly ActivityLine[], position?: string): ActivityPage {
  return { data: lines.map(viewOf), ...(position !== undefined && { next_cursor: cursorOf(position) }) };
}

/** Times in ISO 8601, the second one excluded. */
function range({ from, to }: ActivityFilter, now: Date): { from: string; to: string } {
  const oldest = addMs(now, -RETENTION_DAYS * DAY_MS).toISOString();
  // Another clock may be ahead of this one.
  const newest = addMs(now, DAY_MS).toISOString();
  const [latest = newest] = [newest, ...(to === undefined ? [] : [laterDay(to, 1)])].sort();
  return { from: [oldest, from ?? ''].sort().at(-1) ?? oldest, to: latest };
}

function isWanted(line: ActivityLine, { host, status, verdict, code, keyId }: ActivityFilter): boolean {
  return (
    (host === undefined || line.host === host.toLowerCase()) &&
    (status === undefined || line.targetStatus === status) &&
    (verdict === undefined || line.verdict?.kind === verdict) &&
    (code === undefined || line.code === code) &&
    (keyId === undefined || line.keyId === keyId)
  );
}
