import type { Limits, Usage } from '../../../contract/accounts/account.ts';
import { type Bucket, bucketOf } from './rate-buckets.ts';
import { type CappedKey, leftToday, withoutSpent, withSpent } from './key-caps.ts';
import { latestTat, nextTat, retryAfterSeconds } from './rate-limit.ts';
import { hasSlotForJob, isOfJob, jobSlots, lapsedSlots } from './slots.ts';
import { countedDay, dayOf, periodOf, type Tally, withCount, withDay } from './usage-days.ts';

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

export type Refusal = {
  outcome: 'refused';
  code: 'insufficient_credits' | 'key_not_allowed' | 'rate_limited' | 'too_many_concurrent';
  /** Seconds; 0 for `insufficient_credits` and `key_not_allowed`. */
  retryAfter: number;
  usage: Usage;
};

export type Admission = { outcome: 'admitted'; usage: Usage } | Refusal;

const [SLOT_WAIT_SECONDS, SLOT_JITTER_SECONDS] = [2, 4];

const SPARE_READERS = 5;
/** Whatever the plan: a part of the environments that `prod` reserves for `jobs`, `batches` and `crawls`. */
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

/** A new month renews the credits; credits held in an earlier month are not returned to this one. */
export function currentUsage(stored: Usage | undefined, limits: Limits, now: Date): Usage {
  const period = periodOf(now);
  const fresh = { period, available: limits.credits, used: 0, grants: {}, refunds: undefined };
  const usage = stored ?? { ...UNUSED, credits: { ...fresh, day: '', days: {} } };
  // A clock that lags behind must not restore an earlier month's credits.
  const credits = usage.credits.period >= period ? usage.credits : { ...usage.credits, ...fresh };
  const readers = Object.entries(usage.slots.readers).filter(([, until]) => until > now.getTime());
  const slots = { ...usage.slots, readers: Object.fromEntries(readers) };
  const current = withDay({ ...usage, credits, slots }, dayOf(now));
  return lapsedSlots(usage, now).reduce((rest, id) => withoutSlot(rest, id), current);
}

const UNUSED: Omit<Usage, 'credits'> = {
  limits: { scrapeTat: 0, readTat: 0, sendTat: 0 },
  slots: { inUse: {}, readers: {}, syncAt: 0 },
  waiting: { at: 0, isAwaited: false, isListed: false },
  events: { types: new Set(), low: '', lowReported: '' },
};

/** The request without its slot if that is optional, and is not free or others wait for it. */
export function withinReach(
  request: AdmissionRequest,
  usage: Usage,
  limits: Limits,
  now: Date,
): AdmissionRequest {
  const { isSlotOptional, slot, key, credits, ...others } = request;
  if (!isSlotOptional || isHeld(usage, request)) return request;
  const isAllowed = !key || credits <= leftToday(usage.limits.caps, key);
  const isFree = !usage.waiting.isAwaited && isAllowed && hasSlotForJob(usage, limits, now);
  return { ...others, credits, ...(isFree && { slot, key }) };
}

/** `usage` must be current. */
export function admit(usage: Usage, limits: Limits, asked: AdmissionRequest, now: Date): Admission {
  const request = withinReach(asked, usage, limits, now);
  const { bucket, credits, slot, reader, key } = request;
  // A repeated request whose response was lost: refusing it would leak the slot.
  const held = isHeld(usage, request);
  if (held) return { outcome: 'admitted', usage: slot ? prolonged(usage, slot) : usage };
  if (credits > 0 && usage.credits.available < credits) return refuse('insufficient_credits', 0, usage);
  if (key && credits > leftToday(usage.limits.caps, key)) return refuse('key_not_allowed', 0, usage);
  const next = { ...usage, limits: { ...usage.limits }, slots: { ...usage.slots } };

  if (bucket !== undefined) {
    const { rate, tat } = bucketOf(bucket, limits);
    const arrival = usage.limits[tat];
    if (arrival > latestTat(rate, now.getTime())) {
      return refuse('rate_limited', retryAfterSeconds(rate, arrival, now.getTime()), usage);
    }
    next.limits[tat] = nextTat(rate, arrival, now.getTime());
  }
  if (slot !== undefined) {
    const isSync = isSyncScrape(request);
    const { inUse, syncAt } = usage.slots;
    const concurrency = isSync ? limits.concurrency : jobSlots(limits, syncAt, now);
    if (isSync) next.slots.syncAt = now.getTime();
    if (Object.keys(inUse).length >= concurrency) {
      const untils = Object.values(inUse).map(({ until }) => until);
      return noPlace(untils, slot.id, { ...usage, slots: next.slots }, now);
    }
    const { period, available } = usage.credits;
    next.slots.inUse = { ...inUse, [slot.id]: { credits, until: slot.until.getTime(), period } };
    next.credits = { ...usage.credits, available: available - credits };
    if (key) next.limits.caps = withSpent(usage.limits.caps, slot.id, key.id, credits);
  }
  if (reader !== undefined) {
    const { readers } = usage.slots;
    const untils = Object.values(readers);
    if (untils.length >= readersOf(limits, reader)) return noPlace(untils, reader.id, usage, now);
    next.slots.readers = { ...readers, [reader.id]: reader.until.getTime() };
  }
  return { outcome: 'admitted', usage: next };
}

/** Whether a slot is for a sync scrape. A job takes its slot with its submit, or without a bucket. */
export function isSyncScrape({ bucket, slot }: AdmissionRequest): boolean {
  return bucket !== undefined && slot !== undefined && !isOfJob(slot.id);
}

export function isHeld({ slots }: Usage, { slot, reader }: AdmissionRequest): boolean {
  return (
    (slot !== undefined && slot.id in slots.inUse) || (reader !== undefined && reader.id in slots.readers)
  );
}

/** Frees a slot. Scrapes of it that ended are charged and counted. Without the slot, nothing changes. */
export function withoutSlot(usage: Usage, id: string, ended?: Tally): Usage {
  const { credits, limits, slots } = usage;
  const { [id]: slot, ...inUse } = slots.inUse;
  if (slot === undefined) return usage;
  const charged = ended?.charged ?? 0;
  const rest = slot.credits - charged;
  const isThisMonths = slot.period === credits.period;
  const freed = {
    ...usage,
    ...(isThisMonths && {
      credits: { ...credits, used: credits.used + charged, available: credits.available + rest },
    }),
    limits: { ...limits, caps: withoutSpent(limits.caps, id, rest) },
    slots: { ...slots, inUse },
  };
  return ended ? withCount(freed, countedDay(usage, slot.period), ended) : freed;
}

function prolonged(usage: Usage, { id, until }: Place): Usage {
  const { inUse } = usage.slots;
  const slot = inUse[id];
  if (slot === undefined) return usage;
  return {
    ...usage,
    slots: { ...usage.slots, inUse: { ...inUse, [id]: { ...slot, until: until.getTime() } } },
  };
}

/** Most places are freed within seconds. The caller's id is the jitter. */
function noPlace(untils: readonly number[], id: string, usage: Usage, now: Date): Refusal {
  const latest = Math.max(1, Math.ceil((Math.min(...untils) - now.getTime()) / 1_000));
  const jitter = Buffer.from(id).reduce((sum, byte) => sum + byte, 0) % SLOT_JITTER_SECONDS;
  return refuse('too_many_concurrent', Math.min(latest, SLOT_WAIT_SECONDS + jitter), usage);
}

function refuse(code: Refusal['code'], retryAfter: number, usage: Usage): Refusal {
  return { outcome: 'refused', code, retryAfter, usage };
}
