import type { z } from 'zod';
import type { Limits, Slot } from '../../../contract/accounts/account.ts';
import {
  type AdmissionRequest,
  isSyncScrape,
  readersOf,
} from '../../../domain/accounts/credits/admission.ts';
import { bucketOf } from '../../../domain/accounts/credits/rate-buckets.ts';
import { emissionInterval, idleTat, latestTat } from '../../../domain/accounts/credits/rate-limit.ts';
import { isOfJob, jobSlots } from '../../../domain/accounts/credits/slots.ts';
import { joined, type Write } from '../table.ts';

/** The assumed state of the stored usage, which the write verifies. */
export type Guess = {
  now: Date;
  period: string;
  day: string;
  isBucketIdle: boolean;
  syncAt: number;
};

/** All rules of `admit` in the domain as one condition. */
export function admission(limits: Limits, request: AdmissionRequest, guess: Guess): Write {
  return joined(
    credits(request, guess),
    bucket(limits, request, guess),
    slot(limits, request, guess),
    reader(limits, request),
    capped(request),
  );
}

function credits({ credits: wanted, slot: place }: AdmissionRequest, { period, day }: Guess): Write {
  // What is free is admitted with any balance.
  const isPriced = wanted > 0;
  return {
    condition: ['#period = :period', '#day = :day', ...(isPriced ? ['available >= :credits'] : [])],
    set: isPriced && place !== undefined ? ['available = available - :credits'] : [],
    values: { ':period': period, ':day': day, ...(isPriced && { ':credits': wanted }) },
  };
}

/** Update expressions have no max(tat, now), so idle buckets and buckets in use have a write each. */
function bucket(limits: Limits, request: AdmissionRequest, { now, isBucketIdle }: Guess): Write {
  if (request.bucket === undefined) return {};
  const { rate, tat } = bucketOf(request.bucket, limits);
  const attribute = ({ scrapeTat: 'scrape_tat', readTat: 'read_tat', sendTat: 'send_tat' } as const)[tat];
  const interval = emissionInterval(rate);
  const idle = idleTat(now.getTime());
  return isBucketIdle
    ? {
        condition: [`(attribute_not_exists(${attribute}) OR ${attribute} <= :idle)`],
        set: [`${attribute} = :next`],
        values: { ':idle': idle, ':next': idle + interval },
      }
    : {
        condition: [`${attribute} BETWEEN :idle AND :latest`],
        set: [`${attribute} = ${attribute} + :interval`],
        values: { ':idle': idle, ':latest': latestTat(rate, now.getTime()), ':interval': interval },
      };
}

function slot(limits: Limits, request: AdmissionRequest, { period, now, syncAt }: Guess): Write {
  const { slot: place, credits: held } = request;
  if (place === undefined) return {};
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
      ':concurrency': isSync ? limits.concurrency : jobSlots(limits, syncAt, now),
      ':slot': [held, place.until.getTime(), period] satisfies z.input<typeof Slot>,
    },
    names: { '#slot': place.id },
  };
}

function reader(limits: Limits, { reader: place }: AdmissionRequest): Write {
  if (place === undefined) return {};
  return {
    condition: ['attribute_not_exists(readers.#reader)', 'size(readers) < :readers'],
    set: ['readers.#reader = :reader'],
    values: { ':readers': readersOf(limits, place), ':reader': place.until.getTime() },
    names: { '#reader': place.id },
  };
}

/** Holds the credits of a slot against its key's cap too. */
function capped({ key, slot: place, credits: held }: AdmissionRequest): Write {
  if (key === undefined || place === undefined) return {};
  const room = key.creditsPerDay - held;
  return {
    condition:
      room < 0
        ? ['attribute_not_exists(pk)']
        : ['attribute_exists(spent)', '(attribute_not_exists(spent.#key) OR spent.#key <= :room)'],
    set: ['spent.#key = if_not_exists(spent.#key, :unspent) + :credits', 'capped.#slot = :key'],
    values: { ...(room >= 0 && { ':room': room }), ':unspent': 0, ':key': key.id, ':credits': held },
    names: { '#key': key.id, '#slot': place.id },
  };
}

/** Maps for keys with a daily cap: only organizations that have such keys have them. */
export const initCaps: Write = {
  condition: ['attribute_exists(pk)', 'attribute_not_exists(spent)'],
  set: ['spent = :empty', 'capped = :empty'],
  values: { ':empty': {} },
};
