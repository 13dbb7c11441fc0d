import type { Usage } from '../../../contract/accounts/account.ts';
import {
  type DayCounts,
  finishedDays,
  monthOf,
  monthsBetween,
} from '../../../domain/accounts/credits/usage-days.ts';
import { epochSeconds } from '../../../contract/time.ts';
import { dayKept, dayMoved } from './day-writes.ts';
import type { UsageItem } from './usage-item.ts';

const KEPT_MONTHS = 13;

/** Moves finished days to their month's item, then removes them: safe twice, and stopped halfway. */
export async function keepFinishedDays(item: UsageItem, orgId: string, usage: Usage): Promise<void> {
  for (const day of finishedDays(usage)) {
    const counts = usage.days?.[day] ?? {};
    const month = monthOf(day);
    if (Object.keys(counts).length > 0)
      await item.writeMonth(orgId, month, dayKept(day, counts, forgetAt(month)));
    await item.write(orgId, dayMoved(day));
  }
}

/** Reads the live item first: a day that is no longer there is already in its month. */
export async function usageDays(
  item: UsageItem,
  orgId: string,
  from: string,
  to: string,
): Promise<Record<string, DayCounts>> {
  const live = (await item.read(orgId))?.days ?? {};
  const months = monthsBetween(monthOf(from), monthOf(to));
  const kept = await Promise.all(months.map((month) => item.readMonth(orgId, month)));
  const days = Object.entries(Object.assign({}, ...kept, live) as Record<string, DayCounts>);
  const wanted = days.filter(([day]) => day >= from && day <= to);
  return Object.fromEntries(wanted.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Unix seconds. A month is kept whole until as many later ones are over. */
function forgetAt(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return epochSeconds.encode(new Date(Date.UTC(year, number + KEPT_MONTHS)));
}
