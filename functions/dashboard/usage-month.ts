import { dayOf, laterDay, laterMonth, monthOf } from '../../shared/domain/accounts/credits/usage-days.ts';
import { KEPT_MONTHS } from '../../shared/use-cases/accounts/show-account.ts';
import { fault } from './answered.ts';
import type { PageCall } from './page-call.ts';

/** A calendar month in UTC, with its days so far. */
export type Month = { name: string; days: readonly string[] };

/** The months that usage is kept for, newest first. */
export function keptMonths(now: Date): string[] {
  return Array.from({ length: KEPT_MONTHS + 1 }, (_, back) => laterMonth(monthOf(dayOf(now)), -back));
}

/** The month in the query, else the present one. Throws a fault of its field. */
export function monthIn({ query }: Pick<PageCall, 'query'>, now: Date): Month {
  const kept = keptMonths(now);
  const [name = kept[0] ?? '', ...more] = query.month ?? [];
  if (!kept.includes(name) || more.length > 0)
    throw fault(
      `Choose a month from ${kept.at(-1)} to ${kept[0]}: usage is kept for ${KEPT_MONTHS} months.`,
      'month',
    );
  return { name, days: daysOf(name, dayOf(now)) };
}

/** The days of a month up to today, or to its end. */
function daysOf(month: string, today: string): string[] {
  const days: string[] = [];
  for (let day = `${month}-01`; monthOf(day) === month && day <= today; day = laterDay(day, 1))
    days.push(day);
  return days;
}

export const longMonth = (month: string) =>
  new Date(`${month}-01`).toLocaleString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
