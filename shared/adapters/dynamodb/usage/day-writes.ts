import type { Limits, Usage } from '../../../contract/accounts/account.ts';
import { type DayCounts, monthOf, type Tally } from '../../../domain/accounts/credits/usage-days.ts';
import type { UsageWrite } from './usage-write.ts';

/** Begins the first or a new day, and with it a new month. Slots stay: they record their own month. */
export function turn(stored: Usage | undefined, limits: Limits, day: string): UsageWrite {
  if (stored === undefined) return beginning(limits, day);
  const { period, day: storedDay, days, spent } = stored;
  const isNewMonth = monthOf(day) > period;
  return {
    condition: [
      '#period = :stored_period',
      storedDay === undefined ? 'attribute_not_exists(#day)' : '#day = :stored_day',
    ],
    set: [
      '#day = :day',
      days === undefined ? 'days = :days' : 'days.#today = :empty',
      ...(spent === undefined ? [] : ['spent = :empty', 'capped = :empty']),
      ...(isNewMonth ? ['#period = :period', 'available = :credits', 'used = :none', 'grants = :empty'] : []),
    ],
    values: {
      ':day': day,
      ':stored_period': period,
      ...(storedDay !== undefined && { ':stored_day': storedDay }),
      ...(days === undefined && { ':days': { [day]: {} } }),
      ...((days !== undefined || spent !== undefined || isNewMonth) && { ':empty': {} }),
      ...(isNewMonth && { ':period': monthOf(day), ':credits': limits.credits, ':none': 0 }),
    },
    names: { '#period': 'period', '#day': 'day', ...(days !== undefined && { '#today': day }) },
  };
}

function beginning({ credits }: Limits, day: string): UsageWrite {
  const values = {
    ':period': monthOf(day),
    ':day': day,
    ':days': { [day]: {} },
    ':credits': credits,
    ':none': 0,
    ':empty': {},
  };
  return {
    condition: ['attribute_not_exists(pk)'],
    set: [
      '#period = :period',
      '#day = :day',
      'days = :days',
      'available = :credits',
      ...['used', 'scrape_tat', 'read_tat'].map((number) => `${number} = :none`),
      ...['grants', 'slots', 'readers'].map((map) => `${map} = :empty`),
    ],
    values,
    names: { '#period': 'period', '#day': 'day' },
  };
}

/** The day in which scrapes count, and how they ended. */
export type Counted = { day: string; ended: Tally };

/** Counts scrapes as part of the same write. */
export function counting(write: UsageWrite, { day, ended }: Counted): UsageWrite {
  const counts = Object.entries(ended.counts);
  if (counts.length === 0) return write;
  const added = counts.map(
    (_, n) => `days.#counted.#c${n} = if_not_exists(days.#counted.#c${n}, :zero) + :c${n}`,
  );
  return {
    ...write,
    condition: [...write.condition, 'attribute_exists(days.#counted)'],
    set: [...write.set, ...added],
    values: {
      ...write.values,
      ':zero': 0,
      ...Object.fromEntries(counts.map(([, value], n) => [`:c${n}`, value])),
    },
    names: {
      ...write.names,
      '#counted': day,
      ...Object.fromEntries(counts.map(([name], n) => [`#c${n}`, name])),
    },
  };
}

/** Takes a finished day off the item, once its month's own item has it. */
export function dayMoved(day: string): UsageWrite {
  return {
    condition: ['attribute_exists(days.#moved)'],
    set: [],
    remove: 'days.#moved',
    values: {},
    names: { '#moved': day },
  };
}

/** A finished day in the item of its month. Its counters are final, so writing them twice changes nothing. */
export function dayKept(day: string, counts: DayCounts, forgetAt: number): UsageWrite {
  return {
    condition: [],
    set: ['#kept = :counts', 'forget_at = :forget'],
    values: { ':counts': counts, ':forget': forgetAt },
    names: { '#kept': day },
  };
}
