import type { Limits, Usage } from '../contract/account.ts';
import { latestTat, MINUTE_MS, nextTat, type RateLimit, retryAfterSeconds } from './rate-limit.ts';

/** Which rate limit bucket a call draws from. */
export type Bucket = 'scrape' | 'read';

export type AdmissionRequest = {
  /** Absent where nothing is to be taken from a bucket: a job was counted when it was submitted. */
  bucket?: Bucket;
  /** Credits that must be there. They are held if a slot is asked for too. */
  credits: number;
  /** A place among the scrapes in progress. Asking again under the same id prolongs it and takes nothing more. */
  slot?: { id: string; until: Date };
};

export type Refusal = {
  outcome: 'refused';
  code: 'insufficient_credits' | 'rate_limited' | 'too_many_concurrent';
  /** Seconds after which the same request is worth another try; for `insufficient_credits` there is no telling. */
  retryAfter: number;
  usage: Usage;
};

export type Admission = { outcome: 'admitted'; usage: Usage } | Refusal;

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/;

/** The name of a slot in Usage: its id, with a UUID in 22 characters rather than 36, for a write costs by the item's size. */
export function slotName(id: string): string {
  return id.replace(UUID, (uuid) => Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url'));
}

const [SLOT_WAIT_SECONDS, SLOT_SPREAD_SECONDS] = [2, 4];

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
 * Usage as it stands at `now`: a new month brings its credits, and slots past their time are freed with what they
 * held. Credits held in an earlier month are not given back into this one.
 */
export function currentUsage(stored: Usage | undefined, limits: Limits, now: Date): Usage {
  const period = periodOf(now);
  const fresh: Usage = { period, available: limits.credits, used: 0, scrapeTat: 0, readTat: 0, slots: {} };
  // A clock behind the stored month must not bring that month's credits back.
  const isRenewed = stored !== undefined && stored.period >= period;
  const usage = isRenewed ? stored : { ...fresh, ...carriedOver(stored) };
  return lapsedSlots(usage, now).reduce((rest, id) => withoutSlot(rest, id, 0), usage);
}

/** Ids of the slots whose time is over: their holder died. */
export function lapsedSlots({ slots }: Usage, now: Date): string[] {
  return Object.keys(slots).filter((id) => (slots[id]?.until ?? 0) <= now.getTime());
}

/** What becomes of usage when a call asks for admission. `usage` must be current. */
export function admit(usage: Usage, limits: Limits, request: AdmissionRequest, now: Date): Admission {
  const { bucket, credits } = request;
  const slot = request.slot && { ...request.slot, id: slotName(request.slot.id) };
  const held = slot && usage.slots[slot.id];
  if (held) {
    // Asked for before, only the answer was lost: its place in the bucket is taken, and refusing would leak the slot.
    const slots = { ...usage.slots, [slot.id]: { ...held, until: slot.until.getTime() } };
    return { outcome: 'admitted', usage: { ...usage, slots } };
  }
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
      return refuse('too_many_concurrent', secondsToFreeSlot(usage, slot.id, now), usage);
    }
    next.slots[slot.id] = { credits, until: slot.until.getTime(), period: usage.period };
    next.available -= credits;
  }
  return { outcome: 'admitted', usage: next };
}

/** Whether one more scrape may be in progress. */
export function hasFreeSlot({ slots }: Usage, { concurrency }: Limits): boolean {
  return Object.keys(slots).length < concurrency;
}

/** Whether a slot of this id is taken. */
export function hasSlot({ slots }: Usage, id: string): boolean {
  return slotName(id) in slots;
}

/** Usage without a slot, `charged` of what it held used and the rest given back. No such slot: no change. */
export function withoutSlot(usage: Usage, id: string, charged: number): Usage {
  const { [slotName(id)]: slot, ...slots } = usage.slots;
  if (slot === undefined) return usage;
  const isThisMonths = slot.period === usage.period;
  return {
    ...usage,
    slots,
    used: usage.used + (isThisMonths ? charged : 0),
    available: usage.available + (isThisMonths ? slot.credits - charged : 0),
  };
}

function carriedOver(stored: Usage | undefined): Partial<Usage> {
  return stored === undefined
    ? {}
    : { scrapeTat: stored.scrapeTat, readTat: stored.readTat, slots: stored.slots };
}

/** A slot is free when its scrape ends, mostly within seconds. Who waits for one is spread by the id that asks. */
function secondsToFreeSlot({ slots }: Usage, id: string, now: Date): number {
  const earliest = Math.min(...Object.values(slots).map(({ until }) => until));
  const latest = Math.max(1, Math.ceil((earliest - now.getTime()) / 1_000));
  const spread = Buffer.from(id).reduce((sum, byte) => sum + byte, 0) % SLOT_SPREAD_SECONDS;
  return Math.min(latest, SLOT_WAIT_SECONDS + spread);
}

function refuse(code: Refusal['code'], retryAfter: number, usage: Usage): Refusal {
  return { outcome: 'refused', code, retryAfter, usage };
}
