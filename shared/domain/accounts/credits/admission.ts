import type { Limits, Usage } from '../../../contract/accounts/account.ts';
import { latestTat, nextTat, type RateLimit, retryAfterSeconds } from './rate-limit.ts';
import { hasSlotForJob, isOfJob, jobSlots, lapsedSlots } from './slots.ts';
import { countedDay, dayOf, type Tally, withCount, withDay } from './usage-days.ts';
import { MINUTE_MS } from '../../../time/units.ts';

/** `send`: test events and redeliveries, which have the notifier call any receiver for nothing. */
export type Bucket = 'scrape' | 'read' | 'send';

/** Held by `id` until then at the latest. */
type Place = { id: string; until: Date };

export type AdmissionRequest = {
  /** Absent for a job's scrape: its submit was counted. */
  bucket?: Bucket;
  /** Credits that must be available. A slot holds them. */
  credits: number;
  /** A scrape in progress. Requesting the same id again only prolongs it. */
  slot?: Place;
  /** Admits the request without its slot if none is free for it: its job then waits for one. */
  isSlotOptional?: true;
  /** The key of a slot, if it has a cap of credits per UTC day. */
  key?: CappedKey | undefined;
  /** A response that keeps its function busy. Requesting the same id again changes nothing. */
  reader?: ReaderPlace;
};

/** Of a response that is large, takes long to make, or waits for a job. */
export type ReaderPlace = Place & { isWaiting?: true };

/** A slot for a job. */
export type SlotRequest = { credits: number; slot: Place; key?: CappedKey | undefined };

export type CappedKey = { id: string; creditsPerDay: number };

export type Refusal = {
  outcome: 'refused';
  code: 'insufficient_credits' | 'key_not_allowed' | 'rate_limited' | 'too_many_concurrent';
  /** Seconds; 0 for `insufficient_credits` and `key_not_allowed`. */
  retryAfter: number;
  usage: Usage;
};

export type Admission = { outcome: 'admitted'; usage: Usage } | Refusal;

const [SLOT_WAIT_SECONDS, SLOT_SPREAD_SECONDS] = [2, 4];

const SPARE_READERS = 5;
/** Whatever the plan: a part of the environments that `prod` reserves for `jobs` and for `batches`. */
const MAX_READERS = 20;
const MAX_WAITING = 10;

/** How many places may be taken with this one. Waiting responses leave the others room. */
export function readersOf(
  { concurrency }: Limits,
  { isWaiting }: Pick<ReaderPlace, 'isWaiting'> = {},
): number {
  return isWaiting
    ? Math.min(Math.max(1, concurrency - 1), MAX_WAITING)
    : Math.min(concurrency + SPARE_READERS, MAX_READERS);
}

const SENDS_PER_MINUTE = 30;

type BucketTat = 'scrapeTat' | 'readTat' | 'sendTat';

export function bucketOf(bucket: Bucket, limits: Limits): { rate: RateLimit; tat: BucketTat } {
  const perMinute = { scrape: limits.rpm, read: limits.readsPerMinute, send: SENDS_PER_MINUTE } as const;
  return { rate: { limit: perMinute[bucket], windowMs: MINUTE_MS }, tat: `${bucket}Tat` };
}

/** The arrival time in a bucket. Items of an earlier version have none of `send`. */
export const tatIn = (usage: Usage, tat: BucketTat): number => usage[tat] ?? 0;

export function periodOf(now: Date): string {
  return now.toISOString().slice(0, 'YYYY-MM'.length);
}

/** When the credits of the next month are granted. */
export function resetsAt(period: string): Date {
  const [year = 0, month = 0] = period.split('-').map(Number);
  return new Date(Date.UTC(year, month));
}

/** A new month renews the credits; credits held in an earlier month are not returned to this one. */
export function currentUsage(stored: Usage | undefined, limits: Limits, now: Date): Usage {
  const period = periodOf(now);
  const fresh = { period, available: limits.credits, used: 0, grants: {} };
  // A clock that lags behind must not restore an earlier month's credits.
  const isRenewed = stored !== undefined && stored.period >= period;
  const usage = isRenewed ? stored : { scrapeTat: 0, readTat: 0, slots: {}, ...stored, ...fresh };
  const readers = Object.entries(usage.readers ?? {}).filter(([, until]) => until > now.getTime());
  const current = withDay({ ...usage, readers: Object.fromEntries(readers) }, dayOf(now));
  return lapsedSlots(usage, now).reduce((rest, id) => withoutSlot(rest, id), current);
}

/** The request without its slot if that is optional, and is not free or others wait for it. */
export function withinReach(
  request: AdmissionRequest,
  usage: Usage,
  limits: Limits,
  now: Date,
): AdmissionRequest {
  const { isSlotOptional, slot, key, credits, ...others } = request;
  if (!isSlotOptional || isHeld(usage, request)) return request;
  const isAllowed = !key || credits <= leftToday(usage, key);
  const isFree = !usage.isAwaited && isAllowed && hasSlotForJob(usage, limits, now);
  return { ...others, credits, ...(isFree && { slot, key }) };
}

/** `usage` must be current. */
export function admit(usage: Usage, limits: Limits, asked: AdmissionRequest, now: Date): Admission {
  const request = withinReach(asked, usage, limits, now);
  const { bucket, credits, slot, reader, key } = request;
  // A repeated request whose response was lost: refusing it would leak the slot.
  const held = isHeld(usage, request);
  if (held) return { outcome: 'admitted', usage: slot ? prolonged(usage, slot) : usage };
  if (usage.available < credits) return refuse('insufficient_credits', 0, usage);
  if (key && credits > leftToday(usage, key)) return refuse('key_not_allowed', 0, usage);
  const next = { ...usage, slots: { ...usage.slots } };

  if (bucket !== undefined) {
    const { rate, tat } = bucketOf(bucket, limits);
    const arrival = tatIn(usage, tat);
    if (arrival > latestTat(rate, now.getTime())) {
      return refuse('rate_limited', retryAfterSeconds(rate, arrival, now.getTime()), usage);
    }
    next[tat] = nextTat(rate, arrival, now.getTime());
  }
  if (slot !== undefined) {
    const isSync = isSyncScrape(request);
    const concurrency = isSync ? limits.concurrency : jobSlots(limits, usage, now);
    const noted = isSync ? { syncAt: now.getTime() } : {};
    Object.assign(next, noted);
    if (Object.keys(usage.slots).length >= concurrency) {
      const untils = Object.values(usage.slots).map(({ until }) => until);
      return refuse('too_many_concurrent', secondsToFreePlace(untils, slot.id, now), { ...usage, ...noted });
    }
    next.slots[slot.id] = { credits, until: slot.until.getTime(), period: usage.period };
    next.available -= credits;
    if (key) Object.assign(next, withSpent(next, slot.id, key.id, credits));
  }
  if (reader !== undefined) {
    const untils = Object.values(usage.readers ?? {});
    if (untils.length >= readersOf(limits, reader))
      return refuse('too_many_concurrent', secondsToFreePlace(untils, reader.id, now), usage);
    next.readers = { ...usage.readers, [reader.id]: reader.until.getTime() };
  }
  return { outcome: 'admitted', usage: next };
}

/** Whether a slot is for a sync scrape. A job takes its slot with its submit, or without a bucket. */
export function isSyncScrape({ bucket, slot }: AdmissionRequest): boolean {
  return bucket !== undefined && slot !== undefined && !isOfJob(slot.id);
}

/** Credits that a capped key may still use today. */
export function leftToday({ spent = {} }: Usage, { id, creditsPerDay }: CappedKey): number {
  return creditsPerDay - (spent[id] ?? 0);
}

function withSpent({ spent = {}, capped = {} }: Usage, slotId: string, keyId: string, credits: number) {
  return {
    spent: { ...spent, [keyId]: (spent[keyId] ?? 0) + credits },
    capped: { ...capped, [slotId]: keyId },
  };
}

/** Returns the unused credits of a slot to its key, on the same day. */
function withoutSpent({ spent = {}, capped = {} }: Usage, slotId: string, credits: number) {
  const { [slotId]: keyId, ...others } = capped;
  if (keyId === undefined) return {};
  return { spent: { ...spent, [keyId]: (spent[keyId] ?? 0) - credits }, capped: others };
}

export function isHeld({ slots, readers = {} }: Usage, { slot, reader }: AdmissionRequest): boolean {
  return (slot !== undefined && slot.id in slots) || (reader !== undefined && reader.id in readers);
}

/** Frees a slot. Scrapes of it that ended are charged and counted. Without the slot, nothing changes. */
export function withoutSlot(usage: Usage, id: string, ended?: Tally): Usage {
  const { [id]: slot, ...slots } = usage.slots;
  if (slot === undefined) return usage;
  const charged = ended?.charged ?? 0;
  const isThisMonths = slot.period === usage.period;
  const freed = {
    ...usage,
    ...withoutSpent(usage, id, slot.credits - charged),
    slots,
    used: usage.used + (isThisMonths ? charged : 0),
    available: usage.available + (isThisMonths ? slot.credits - charged : 0),
  };
  return ended ? withCount(freed, countedDay(usage, slot.period), ended) : freed;
}

export function withoutReader(usage: Usage, id: string): Usage {
  const readers = Object.entries(usage.readers ?? {}).filter(([name]) => name !== id);
  return { ...usage, readers: Object.fromEntries(readers) };
}

function prolonged(usage: Usage, { id, until }: Place): Usage {
  const slot = usage.slots[id];
  return slot ? { ...usage, slots: { ...usage.slots, [id]: { ...slot, until: until.getTime() } } } : usage;
}

/** Most places are freed within seconds. The caller's id spreads the retries. */
function secondsToFreePlace(untils: readonly number[], id: string, now: Date): number {
  const latest = Math.max(1, Math.ceil((Math.min(...untils) - now.getTime()) / 1_000));
  const spread = Buffer.from(id).reduce((sum, byte) => sum + byte, 0) % SLOT_SPREAD_SECONDS;
  return Math.min(latest, SLOT_WAIT_SECONDS + spread);
}

function refuse(code: Refusal['code'], retryAfter: number, usage: Usage): Refusal {
  return { outcome: 'refused', code, retryAfter, usage };
}
