import { EndReason, type Usage } from '../../../contract/accounts/account.ts';
import { Kind } from '../../../contract/scrape/mode.ts';
import { isSuccess } from './credits-reason.ts';

/** How a scrape ended. */
export type Ended = { kind: Kind; reason: EndReason; charged: number };

/** What the scrapes of a slot cost, and how they count in their day. */
export type Tally = { charged: number; counts: DayCounts };

/** Counters of one day by name: see `counterOf`. */
export type DayCounts = Readonly<Record<string, number>>;

/** A day's scrapes of one kind. */
export type UsageRow = {
  day: string;
  kind: Kind;
  scrapes: number;
  succeeded: number;
  failed: number;
  credits: number;
  reasons: Record<EndReason, number>;
};

/** The UTC day, `2026-11-21`. */
export function dayOf(now: Date): string {
  return now.toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** The calendar month in UTC, `2026-11`. */
export function periodOf(now: Date): string {
  return monthOf(dayOf(now));
}

/** When the credits of the next month are granted. */
export function resetsAt(period: string): Date {
  const [year = 0, month = 0] = period.split('-').map(Number);
  return new Date(Date.UTC(year, month));
}

export function monthOf(day: string): string {
  return day.slice(0, 'YYYY-MM'.length);
}

/** The UTC day that many days after another; negative for before. */
export function laterDay(day: string, days: number): string {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() + days);
  return dayOf(date);
}

/** Months from one to another, both included. */
export function monthsBetween(from: string, to: string): string[] {
  const months: string[] = [];
  for (let month = from; month <= to; month = laterMonth(month, 1)) months.push(month);
  return months;
}

/** The month this many months after another; negative for earlier. */
export function laterMonth(month: string, months: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return monthOf(dayOf(new Date(Date.UTC(year, number - 1 + months))));
}

/** The name of a counter in a day. */
export function counterOf(kind: Kind, what: EndReason | 'credits'): string {
  return `${kind}_${what}`;
}

/** Usage with `day` begun. A clock that lags behind does not bring back an earlier day. */
export function withDay(usage: Usage, day: string): Usage {
  const { credits, limits } = usage;
  if (credits.day >= day) return usage;
  return {
    ...usage,
    credits: { ...credits, day, days: { ...credits.days, [day]: {} } },
    limits: { ...limits, caps: limits.caps && { spent: {}, keyOf: {} } },
  };
}

/** The day in which a scrape that ends now counts: today, or the last day of the month in which it began. */
export function countedDay({ credits: { period, day, days } }: Usage, begunIn: string): string | undefined {
  if (begunIn === period) return day in days ? day : undefined;
  return Object.keys(days)
    .filter((each) => monthOf(each) === begunIn)
    .sort()
    .at(-1);
}

export const NO_SCRAPES: Tally = { charged: 0, counts: {} };

/** A tally with one more scrape. */
export function withScrape({ charged, counts }: Tally, ended: Ended): Tally {
  const credits = ended.charged > 0 ? { [counterOf(ended.kind, 'credits')]: ended.charged } : {};
  const more = { [counterOf(ended.kind, ended.reason)]: 1, ...credits };
  return { charged: charged + ended.charged, counts: sum(counts, more) };
}

/** The tally of a single scrape. */
export function tallyOf(ended: Ended): Tally {
  return withScrape(NO_SCRAPES, ended);
}

function sum(counts: DayCounts, more: DayCounts): DayCounts {
  const added = Object.entries(more).map(([name, value]) => [name, (counts[name] ?? 0) + value] as const);
  return { ...counts, ...Object.fromEntries(added) };
}

/** Usage with scrapes counted in one of its days. */
export function withCount(usage: Usage, day: string | undefined, { counts: more }: Tally): Usage {
  const { credits } = usage;
  const counts = day === undefined ? undefined : credits.days[day];
  if (day === undefined || counts === undefined) return usage;
  return { ...usage, credits: { ...credits, days: { ...credits.days, [day]: { ...sum(counts, more) } } } };
}

/** Days in which nothing can count any more. Days of an earlier month stay open for its last scrapes. */
export function finishedDays({ credits: { period, day, days }, slots }: Usage): string[] {
  const open = new Set(Object.values(slots.inUse).map((slot) => slot.period));
  return Object.keys(days).filter(
    (each) => each < day && (monthOf(each) === period || !open.has(monthOf(each))),
  );
}

/** The rows of a day: its kinds that had scrapes. */
export function rowsOf(day: string, counts: DayCounts): UsageRow[] {
  const rows = Kind.options.map((kind) => {
    const byReason = EndReason.options.map(
      (reason) => [reason, counts[counterOf(kind, reason)] ?? 0] as const,
    );
    const reasons = Object.fromEntries(byReason) as UsageRow['reasons'];
    const scrapes = byReason.reduce((sum, [, count]) => sum + count, 0);
    const credits = counts[counterOf(kind, 'credits')] ?? 0;
    const succeeded = EndReason.options.filter(isSuccess).reduce((sum, reason) => sum + reasons[reason], 0);
    return { day, kind, scrapes, succeeded, failed: scrapes - succeeded, credits, reasons };
  });
  return rows.filter(({ scrapes }) => scrapes > 0);
}
