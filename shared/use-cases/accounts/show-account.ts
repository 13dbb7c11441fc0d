import type { Organization } from '../../contract/accounts/account.ts';
import type { AccountView, UsageView } from '../../contract/accounts/account-view.ts';
import { limitsOf } from '../../domain/accounts/credits/plan.ts';
import {
  dayOf,
  laterDay,
  laterMonth,
  monthOf,
  resetsAt,
  rowsOf,
} from '../../domain/accounts/credits/usage-days.ts';
import { AppError } from '../../errors.ts';
import type { Effects } from '../../ports/effects.ts';

type Needs = Pick<Effects, 'usage' | 'now'>;

/** Earlier months whose usage is kept. */
export const KEPT_MONTHS = 13;
const DEFAULT_DAYS = 30;

/** An organization with its limits and its current credits. */
export async function showAccount({ usage, now }: Needs, organization: Organization): Promise<AccountView> {
  const { id, name, plan, status } = organization;
  const { credits, rpm, readsPerMinute, concurrency } = limitsOf(organization);
  const {
    credits: { period, used, available },
    slots: { inUse },
  } = await usage.read(organization, now());
  const held = Object.values(inUse)
    .filter((slot) => slot.period === period)
    .reduce((sum, slot) => sum + slot.credits, 0);
  return {
    org_id: id,
    name,
    plan,
    status,
    limits: { credits, rpm, reads_per_minute: readsPerMinute, concurrency },
    period,
    credits: {
      granted: available + held + used,
      used,
      held,
      available,
      resets_at: resetsAt(period).toISOString(),
    },
    in_progress: Object.keys(inUse).length,
  };
}

/** UTC days, both included. Absent: the last 30 days up to `to`, which is today. */
export type Days = { from?: string | undefined; to?: string | undefined };

/** Adds up to the charge. Throws `invalid_request` for days in the wrong order or before 13 months ago. */
export async function usageByDay(
  { usage, now }: Needs,
  organization: Organization,
  days: Days,
): Promise<UsageView> {
  const { from, to } = daysAsked(days, dayOf(now()));
  const counts = await usage.days(organization, from, to);
  const data = Object.entries(counts).flatMap(([day, counters]) => rowsOf(day, counters));
  return { from, to, by: 'day', total: totalOf(data), data };
}

export function totalOf(rows: readonly UsageView['total'][]): UsageView['total'] {
  const total = { scrapes: 0, succeeded: 0, failed: 0, credits: 0 };
  for (const row of rows) {
    total.scrapes += row.scrapes;
    total.succeeded += row.succeeded;
    total.failed += row.failed;
    total.credits += row.credits;
  }
  return total;
}

function daysAsked({ from, to }: Days, today: string): { from: string; to: string } {
  const first = `${laterMonth(monthOf(today), -KEPT_MONTHS)}-01`;
  const last = to ?? [today, from ?? today].sort().at(-1) ?? today;
  // Future days have no usage yet, and clocks may differ.
  const end = [last, laterDay(today, 1)].sort()[0] ?? today;
  const start = from ?? [laterDay(end, 1 - DEFAULT_DAYS), first].sort().at(-1) ?? first;
  if (start > last) throw wrong('from', `expected a day that is not after 'to', which is ${last}`);
  if (from !== undefined && from < first) throw wrong('from', `usage is kept since ${first}`);
  return { from: start, to: end };
}

function wrong(param: string, problem: string): AppError {
  return new AppError('invalid_request', {
    message: `Invalid value for '${param}': ${problem}.`,
    fields: { param },
  });
}
