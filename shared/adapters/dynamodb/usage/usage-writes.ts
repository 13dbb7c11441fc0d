import type { z } from 'zod';
import type { Limits, Slot } from '../../../contract/accounts/account.ts';
import {
  type AdmissionRequest,
  bucketOf,
  isSyncScrape,
  readersOf,
} from '../../../domain/accounts/credits/admission.ts';
import { isOfJob, jobSlots } from '../../../domain/accounts/credits/slots.ts';
import { emissionInterval, idleTat, latestTat } from '../../../domain/accounts/credits/rate-limit.ts';
import { capped } from './cap-writes.ts';
import { type Counted, counting } from './day-writes.ts';
import type { UsageWrite } from './usage-write.ts';

const slotPath = { credits: 'slots.#slot[0]', until: 'slots.#slot[1]', period: 'slots.#slot[2]' };

/** The assumed state of the stored usage, which the write verifies. */
type Guess = {
  now: Date;
  period: string;
  day: string;
  isBucketIdle: boolean;
  syncAt: number | undefined;
};

/** All rules of `admit` in the domain as one condition. */
export function admission(limits: Limits, request: AdmissionRequest, guess: Guess): UsageWrite {
  const parts = [
    credits(request, guess),
    bucket(limits, request, guess),
    slot(limits, request, guess),
    reader(limits, request),
    capped(request),
  ];
  return joined(...parts);
}

/** Several writes as one. Of values with the same name, the last counts. */
export function joined(...parts: readonly UsageWrite[]): UsageWrite {
  const removed = parts.flatMap(({ remove }) => remove ?? []);
  return {
    condition: parts.flatMap(({ condition }) => condition),
    set: parts.flatMap(({ set }) => set),
    ...(removed.length > 0 && { remove: removed.join(', ') }),
    values: Object.assign({}, ...parts.map(({ values }) => values)) as UsageWrite['values'],
    names: Object.assign({}, ...parts.map(({ names }) => names)) as UsageWrite['names'],
  };
}

/** Closes a slot of the current month: `charged` is used, the rest of what it held is returned. */
export function settlement(
  slotId: string,
  period: string,
  held: number,
  charged: number,
  counted?: Counted,
): UsageWrite {
  const write: UsageWrite = {
    condition: ['#period = :period', `${slotPath.period} = :period`, `${slotPath.credits} = :held`],
    set: ['available = available + :rest', 'used = used + :charged'],
    remove: 'slots.#slot',
    values: { ':period': period, ':held': held, ':rest': held - charged, ':charged': charged },
    names: { '#slot': slotId, '#period': 'period' },
  };
  return counted ? counting(onDay(write, counted.day), counted) : write;
}

/** Closes a slot of an earlier month: its credits were that month's, and so is the day it counts in. */
export function release(slotId: string, slotPeriod: string, period: string, counted?: Counted): UsageWrite {
  const write: UsageWrite = {
    condition: ['#period = :period', `${slotPath.period} = :slot_period`],
    set: [],
    remove: 'slots.#slot',
    values: { ':period': period, ':slot_period': slotPeriod },
    names: { '#slot': slotId, '#period': 'period' },
  };
  return counted ? counting(write, counted) : write;
}

/** Adds the condition that this day is still the one in which scrapes count. */
function onDay(write: UsageWrite, day: string): UsageWrite {
  return {
    ...write,
    condition: [...write.condition, '#day = :day'],
    values: { ...write.values, ':day': day },
    names: { ...write.names, '#day': 'day' },
  };
}

export function prolongation(slotId: string, until: Date): UsageWrite {
  return {
    condition: ['attribute_exists(slots.#slot)'],
    set: [`${slotPath.until} = :until`],
    values: { ':until': until.getTime() },
    names: { '#slot': slotId },
  };
}

/** Adds the condition that the slot has not been prolonged since it was read. */
export function unlessProlonged(write: UsageWrite, seenUntil: number): UsageWrite {
  return {
    ...write,
    condition: [...write.condition, `${slotPath.until} = :seen`],
    values: { ...write.values, ':seen': seenUntil },
  };
}

/** Releases a reader; with `seenUntil`, only if it has not changed. */
export function readerLeft(id: string, seenUntil?: number): UsageWrite {
  return {
    condition: [seenUntil === undefined ? 'attribute_exists(readers.#reader)' : 'readers.#reader = :seen'],
    set: [],
    remove: 'readers.#reader',
    values: seenUntil === undefined ? {} : { ':seen': seenUntil },
    names: { '#reader': id },
  };
}

/** Extends an item of an earlier version. */
export const roomForReaders: UsageWrite = {
  condition: ['attribute_exists(pk)', 'attribute_not_exists(readers)'],
  set: ['readers = :empty'],
  values: { ':empty': {} },
  names: {},
};

const NOTHING: UsageWrite = { condition: [], set: [], values: {}, names: {} };

function credits({ credits: wanted, slot: place }: AdmissionRequest, { period, day }: Guess): UsageWrite {
  const isHeld = place !== undefined && wanted > 0;
  return {
    condition: ['#period = :period', '#day = :day', 'available >= :credits'],
    set: isHeld ? ['available = available - :credits'] : [],
    values: { ':period': period, ':day': day, ':credits': wanted },
    names: { '#period': 'period', '#day': 'day' },
  };
}

/** Update expressions have no max(tat, now), so idle buckets and buckets in use have a write each. */
function bucket(limits: Limits, request: AdmissionRequest, { now, isBucketIdle }: Guess): UsageWrite {
  if (request.bucket === undefined) return NOTHING;
  const { rate, tat } = bucketOf(request.bucket, limits);
  const attribute = ({ scrapeTat: 'scrape_tat', readTat: 'read_tat', sendTat: 'send_tat' } as const)[tat];
  const interval = emissionInterval(rate);
  const idle = idleTat(now.getTime());
  return isBucketIdle
    ? {
        condition: [`(attribute_not_exists(${attribute}) OR ${attribute} <= :idle)`],
        set: [`${attribute} = :next`],
        values: { ':idle': idle, ':next': idle + interval },
        names: {},
      }
    : {
        condition: [`${attribute} BETWEEN :idle AND :latest`],
        set: [`${attribute} = ${attribute} + :interval`],
        values: { ':idle': idle, ':latest': latestTat(rate, now.getTime()), ':interval': interval },
        names: {},
      };
}

function slot(limits: Limits, request: AdmissionRequest, { period, now, syncAt }: Guess): UsageWrite {
  const { slot: place, credits: held } = request;
  if (place === undefined) return NOTHING;
  const isSync = isSyncScrape(request);
  return {
    condition: [
      'attribute_not_exists(slots.#slot)',
      'size(slots) < :concurrency',
      ...(isOfJob(place.id) ? ['is_listed = :true'] : []),
    ],
    set: ['slots.#slot = :slot', ...(isSync ? ['sync_at = :sync'] : [])],
    values: {
      ...(isSync && { ':sync': now.getTime() }),
      ...(isOfJob(place.id) && { ':true': true }),
      ':concurrency': isSync ? limits.concurrency : jobSlots(limits, { syncAt }, now),
      ':slot': [held, place.until.getTime(), period] satisfies z.input<typeof Slot>,
    },
    names: { '#slot': place.id },
  };
}

function reader(limits: Limits, { reader: place }: AdmissionRequest): UsageWrite {
  if (place === undefined) return NOTHING;
  return {
    condition: ['attribute_not_exists(readers.#reader)', 'size(readers) < :readers'],
    set: ['readers.#reader = :reader'],
    values: { ':readers': readersOf(limits, place), ':reader': place.until.getTime() },
    names: { '#reader': place.id },
  };
}
