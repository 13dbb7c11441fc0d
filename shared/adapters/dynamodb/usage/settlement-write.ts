import type { Slot, Usage } from '../../../contract/accounts/account.ts';
import { countedDay, type Tally } from '../../../domain/accounts/credits/usage-days.ts';
import { joined, type Write } from '../table.ts';
import { type Counted, counting } from './usage-days.ts';

const slotPath = { credits: 'slots.#slot[0]', until: 'slots.#slot[1]', period: 'slots.#slot[2]' };

/** Closes a stored slot. Credits of an earlier month are neither returned to this one nor counted in it. */
export function closing(stored: Usage, id: string, slot: Slot, ended?: Tally): Write {
  const { period } = stored.credits;
  const day = countedDay(stored, slot.period);
  const counted = day !== undefined && ended ? { day, ended } : undefined;
  const charged = ended?.charged ?? 0;
  return slot.period === period
    ? uncapped(
        settlement(id, period, slot.credits, charged, counted),
        stored.limits.caps?.keyOf[id],
        slot.credits - charged,
      )
    : release(id, slot.period, period, counted);
}

/** Closes a slot of the current month: `charged` is used, the rest of what it held is returned. */
export function settlement(
  slotId: string,
  period: string,
  held: number,
  charged: number,
  counted?: Counted,
): Write {
  const write: Write = {
    condition: ['#period = :period', `${slotPath.period} = :period`, `${slotPath.credits} = :held`],
    set: ['available = available + :rest', 'used = used + :charged'],
    remove: ['slots.#slot'],
    values: { ':period': period, ':held': held, ':rest': held - charged, ':charged': charged },
    names: { '#slot': slotId },
  };
  return counted ? counting(onDay(write, counted.day), counted) : write;
}

/** Closes a slot of an earlier month: its credits were that month's, and so is the day it counts in. */
function release(slotId: string, slotPeriod: string, period: string, counted?: Counted): Write {
  const write: Write = {
    condition: ['#period = :period', `${slotPath.period} = :slot_period`],
    remove: ['slots.#slot'],
    values: { ':period': period, ':slot_period': slotPeriod },
    names: { '#slot': slotId },
  };
  return counted ? counting(write, counted) : write;
}

/** Adds the condition that this day is still the one in which scrapes count. */
export const onDay = (write: Write, day: string) =>
  joined(write, { condition: ['#day = :day'], values: { ':day': day } });

export const prolongation = (slotId: string, until: Date): Write => ({
  condition: ['attribute_exists(slots.#slot)'],
  set: [`${slotPath.until} = :until`],
  values: { ':until': until.getTime() },
  names: { '#slot': slotId },
});

/** Adds the condition that the slot has not been prolonged since it was read. */
export const unlessProlonged = (write: Write, seenUntil: number) =>
  joined(write, { condition: [`${slotPath.until} = :seen`], values: { ':seen': seenUntil } });

/** Releases a reader; with `seenUntil`, only if it has not changed. */
export const readerLeft = (id: string, seenUntil?: number): Write => ({
  condition: [seenUntil === undefined ? 'attribute_exists(readers.#reader)' : 'readers.#reader = :seen'],
  remove: ['readers.#reader'],
  values: seenUntil === undefined ? {} : { ':seen': seenUntil },
  names: { '#reader': id },
});

const UNCAPPED = 'attribute_not_exists(capped.#slot)';

/** Returns the unused credits of a slot of today to its key. */
export function uncapped(write: Write, keyId: string | undefined, rest: number): Write {
  if (keyId === undefined) return joined(write, { condition: [UNCAPPED] });
  return joined(write, {
    condition: ['capped.#slot = :key'],
    set: ['spent.#key = spent.#key - :unused'],
    remove: ['capped.#slot'],
    values: { ':key': keyId, ':unused': rest },
    names: { '#key': keyId },
  });
}
