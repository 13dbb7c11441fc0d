import type { Limits, Usage } from '../../../contract/accounts/account.ts';
import { epochSeconds } from '../../../contract/time.ts';
import {
  type DayCounts,
  finishedDays,
  monthOf,
  monthsBetween,
  type Tally,
} from '../../../domain/accounts/credits/usage-days.ts';
import { joined, type Write } from '../table.ts';
import type { UsageItem } from './usage-item.ts';

const KEPT_MONTHS = 13;

/** Begins the first or a new day, and with it a new month. Slots stay: they record their own month. */
export function turn(stored: Usage | undefined, limits: Limits, day: string): Write {
  if (stored === undefined) return beginning(limits, day);
  const { period, day: storedDay } = stored.credits;
  const isNewMonth = monthOf(day) > period;
  if (storedDay === '') return EXTENSION;
  return {
    condition: ['#period = :stored_period', '#day = :stored_day'],
    set: [
      '#day = :day',
      'days.#today = :empty',
      ...(stored.limits.caps ? ['spent = :empty', 'capped = :empty'] : []),
      ...(isNewMonth
        ? ['#period = :period', 'available = :credits', 'used = :none', 'grants = :empty', 'refunds = :empty']
        : []),
    ],
    values: {
      ':day': day,
      ':stored_period': period,
      ':stored_day': storedDay,
      ':empty': {},
      ...(isNewMonth && { ':period': monthOf(day), ':credits': limits.credits, ':none': 0 }),
    },
    names: { '#today': day },
  };
}

/** Usage that version 0.2.0 stored, before its first day. */
const EXTENSION: Write = {
  condition: ['attribute_exists(pk)', 'attribute_not_exists(#day)'],
  set: [
    '#day = #period',
    'days = :empty',
    ...['grants', 'readers'].map((map) => `${map} = if_not_exists(${map}, :empty)`),
  ],
  values: { ':empty': {} },
};

function beginning({ credits }: Limits, day: string): Write {
  return {
    condition: ['attribute_not_exists(pk)'],
    set: [
      '#period = :period',
      '#day = :day',
      'days = :days',
      'available = :credits',
      ...['used', 'scrape_tat', 'read_tat'].map((number) => `${number} = :none`),
      ...['grants', 'refunds', 'slots', 'readers'].map((map) => `${map} = :empty`),
    ],
    values: {
      ':period': monthOf(day),
      ':day': day,
      ':days': { [day]: {} },
      ':credits': credits,
      ':none': 0,
      ':empty': {},
    },
  };
}

/** The day in which scrapes count, and how they ended. */
export type Counted = { day: string; ended: Tally };

/** Counts scrapes as part of the same write. */
export function counting(write: Write, { day, ended }: Counted): Write {
  const counts = Object.entries(ended.counts);
  if (counts.length === 0) return write;
  const named = <T>(prefix: string, of: (entry: [string, number]) => T) =>
    Object.fromEntries(counts.map((entry, n) => [`${prefix}c${n}`, of(entry)]));
  return joined(write, {
    condition: ['attribute_exists(days.#counted)'],
    set: counts.map((_, n) => `days.#counted.#c${n} = if_not_exists(days.#counted.#c${n}, :zero) + :c${n}`),
    values: { ':zero': 0, ...named(':', ([, value]) => value) },
    names: { '#counted': day, ...named('#', ([name]) => name) },
  });
}

/** Moves finished days to their month's item, then removes them: safe twice, and stopped halfway. */
export async function keepFinishedDays(item: UsageItem, orgId: string, usage: Usage): Promise<void> {
  for (const day of finishedDays(usage)) {
    const counts = usage.credits.days[day] ?? {};
    const month = monthOf(day);
    if (Object.keys(counts).length > 0)
      await item.writeMonth(orgId, month, dayKept(day, counts, forgetAt(month)));
    await item.write(orgId, dayMoved(day));
  }
}

/** Takes a finished day off the item, once its month's own item has it. */
const dayMoved = (day: string): Write => ({
  condition: ['attribute_exists(days.#moved)'],
  remove: ['days.#moved'],
  names: { '#moved': day },
});

/** A finished day in the item of its month. Its counters are final, so writing them twice changes nothing. */
const dayKept = (day: string, counts: DayCounts, forgetAt: number): Write => ({
  set: ['#kept = :counts', 'forget_at = :forget'],
  values: { ':counts': counts, ':forget': forgetAt },
  names: { '#kept': day },
});

/** Unix seconds. A month is kept whole until as many later ones are over. */
function forgetAt(month: string): number {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return epochSeconds.encode(new Date(Date.UTC(year, number + KEPT_MONTHS)));
}

/** Reads the live item first: a day that is no longer there is already in its month. */
export async function usageDays(
  item: UsageItem,
  orgId: string,
  from: string,
  to: string,
): Promise<Record<string, DayCounts>> {
  const live = (await item.read(orgId))?.credits.days ?? {};
  const months = monthsBetween(monthOf(from), monthOf(to));
  const kept = await Promise.all(months.map((month) => item.readMonth(orgId, month)));
  const days = Object.entries(Object.assign({}, ...kept, live) as Record<string, DayCounts>);
  const wanted = days.filter(([day]) => day >= from && day <= to);
  return Object.fromEntries(wanted.sort(([a], [b]) => (a < b ? -1 : 1)));
}
