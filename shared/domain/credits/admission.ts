import type { Limits, Usage } from '../../contract/account.ts';
import { latestTat, MINUTE_MS, nextTat, type RateLimit, retryAfterSeconds } from './rate-limit.ts';

/** Which rate limit bucket a call draws from. */
export type Bucket = 'scrape' | 'read';

/** What is held until then at the latest, under an id of its holder. */
type Place = { id: string; until: Date };

export type AdmissionRequest = {
  /** Absent where nothing is to be taken from a bucket: a job was counted when it was submitted. */
  bucket?: Bucket;
  /** Credits that must be there. They are held if a slot is asked for too. */
  credits: number;
  /** A place among the scrapes in progress. Asking again under the same id prolongs it and takes nothing more. */
  slot?: Place;
  /** A place among the results being read. Asking again under the same id takes nothing more. */
  reader?: Place;
};

export type Refusal = {
  outcome: 'refused';
  code: 'insufficient_credits' | 'rate_limited' | 'too_many_concurrent';
  /** Seconds after which the same request is worth another try; for `insufficient_credits` there is no telling. */
  retryAfter: number;
  usage: Usage;
};

export type Admission = { outcome: 'admitted'; usage: Usage } | Refusal;

const [SLOT_WAIT_SECONDS, SLOT_SPREAD_SECONDS] = [2, 4];

/** Results that may be read besides as many as there may be scrapes. */
const SPARE_READERS = 5;

/** Results that an organization may be reading at once. */
export function readersOf({ concurrency }: Limits): number {
  return concurrency + SPARE_READERS;
}

/** The bucket's rate, and the field of Usage that holds its theoretical arrival time. */
export function bucketOf(bucket: Bucket, limits: Limits): { rate: RateLimit; tat: 'scrapeTat' | 'readTat' } {
  return bucket === 'scrape'
    ? { rate: { limit: limits.rpm, windowMs: MINUTE_MS }, tat: 'scrapeTat' }
    : { rate: { limit: limits.readsPerMinute, windowMs: MINUTE_MS }, tat: 'readTat' };
}

/** The calendar month in UTC that credits are granted for. */
export function periodOf(now: Date): string {
  return now.toISOString().slice(0, 'YYYY-MM'.length);
}

/**
 * Usage as it stands at `now`: a new month brings its credits, and places past their time are freed with what they
 * held. Credits held in an earlier month are not given back into this one.
 */
export function currentUsage(stored: Usage | undefined, limits: Limits, now: Date): Usage {
  const period = periodOf(now);
  const fresh = { period, available: limits.credits, used: 0, grants: {} };
  // A clock behind the stored month must not bring that month's credits back.
  const isRenewed = stored !== undefined && stored.period >= period;
  const usage = isRenewed ? stored : { scrapeTat: 0, readTat: 0, slots: {}, ...stored, ...fresh };
  const readers = Object.entries(usage.readers ?? {}).filter(([, until]) => until > now.getTime());
  const current: Usage = { ...usage, readers: Object.fromEntries(readers) };
  return lapsedSlots(usage, now).reduce((rest, id) => withoutSlot(rest, id, 0), current);
}

/** Ids of the slots whose time is over: their holder died. */
export function lapsedSlots({ slots }: Usage, now: Date): string[] {
  return Object.keys(slots).filter((id) => (slots[id]?.until ?? 0) <= now.getTime());
}

/** What becomes of usage when a call asks for admission. `usage` must be current. */
export function admit(usage: Usage, limits: Limits, request: AdmissionRequest, now: Date): Admission {
  const { bucket, credits, slot, reader } = request;
  // Asked for before, only the answer was lost: its place in the bucket is taken, and refusing would leak the slot.
  const held = isHeld(usage, request);
  if (held) return { outcome: 'admitted', usage: slot ? prolonged(usage, slot) : usage };
  if (usage.available < credits) return refuse('insufficient_credits', 0, usage);
  const next = { ...usage, slots: { ...usage.slots } };

  if (bucket !== undefined) {
    const { rate, tat } = bucketOf(bucket, limits);
    if (usage[tat] > latestTat(rate, now.getTime())) {
      return refuse('rate_limited', retryAfterSeconds(rate, usage[tat], now.getTime()), usage);
    }
    next[tat] = nextTat(rate, usage[tat], now.getTime());
  }
  if (slot !== undefined) {
    if (!hasFreeSlot(usage, limits)) {
      const untils = Object.values(usage.slots).map(({ until }) => until);
      return refuse('too_many_concurrent', secondsToFreePlace(untils, slot.id, now), usage);
    }
    next.slots[slot.id] = { credits, until: slot.until.getTime(), period: usage.period };
    next.available -= credits;
  }
  if (reader !== undefined) {
    const untils = Object.values(usage.readers ?? {});
    if (untils.length >= readersOf(limits))
      return refuse('too_many_concurrent', secondsToFreePlace(untils, reader.id, now), usage);
    next.readers = { ...usage.readers, [reader.id]: reader.until.getTime() };
  }
  return { outcome: 'admitted', usage: next };
}

/** Whether the place that is asked for is taken already, by the same holder. */
export function isHeld({ slots, readers = {} }: Usage, { slot, reader }: AdmissionRequest): boolean {
  return (slot !== undefined && slot.id in slots) || (reader !== undefined && reader.id in readers);
}

/** Whether one more scrape may be in progress. */
export function hasFreeSlot({ slots }: Usage, { concurrency }: Limits): boolean {
  return Object.keys(slots).length < concurrency;
}

/** Whether a slot of this id is taken. */
export function hasSlot({ slots }: Usage, id: string): boolean {
  return id in slots;
}

/** Usage without a slot, `charged` of what it held used and the rest given back. No such slot: no change. */
export function withoutSlot(usage: Usage, id: string, charged: number): Usage {
  const { [id]: slot, ...slots } = usage.slots;
  if (slot === undefined) return usage;
  const isThisMonths = slot.period === usage.period;
  return {
    ...usage,
    slots,
    used: usage.used + (isThisMonths ? charged : 0),
    available: usage.available + (isThisMonths ? slot.credits - charged : 0),
  };
}

/** Usage with credits added to its month. A grant that it has already: no change. */
export function withGrant(usage: Usage, id: string, credits: number): Usage {
  const { available, grants = {} } = usage;
  return id in grants
    ? usage
    : { ...usage, available: available + credits, grants: { ...grants, [id]: credits } };
}

/** Usage without a reader. No such reader: no change. */
export function withoutReader(usage: Usage, id: string): Usage {
  const readers = Object.entries(usage.readers ?? {}).filter(([name]) => name !== id);
  return { ...usage, readers: Object.fromEntries(readers) };
}

function prolonged(usage: Usage, { id, until }: Place): Usage {
  const slot = usage.slots[id];
  return slot ? { ...usage, slots: { ...usage.slots, [id]: { ...slot, until: until.getTime() } } } : usage;
}

/** A place is free when its holder is done, mostly within seconds. Callers are spread by the id that asks. */
function secondsToFreePlace(untils: readonly number[], id: string, now: Date): number {
  const latest = Math.max(1, Math.ceil((Math.min(...untils) - now.getTime()) / 1_000));
  const spread = Buffer.from(id).reduce((sum, byte) => sum + byte, 0) % SLOT_SPREAD_SECONDS;
  return Math.min(latest, SLOT_WAIT_SECONDS + spread);
}

function refuse(code: Refusal['code'], retryAfter: number, usage: Usage): Refusal {
  return { outcome: 'refused', code, retryAfter, usage };
}
