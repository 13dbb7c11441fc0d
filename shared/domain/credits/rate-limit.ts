/**
 * A bucket of `limit` requests a window that refills steadily; the whole of it may be used in one burst. Theoretical
 * arrival times (tat) are whole unix microseconds: milliseconds with fractions would drift.
 * GCRA as virtual scheduling, ITU-T I.371 annex A.
 */
export type RateLimit = { limit: number; windowMs: number };

export const MINUTE_MS = 60_000;
const MICROS_PER_MS = 1_000;
const MICROS_PER_SECOND = 1_000_000;

/** Microseconds in which one request's place comes back. */
export function emissionInterval({ limit, windowMs }: RateLimit): number {
  return Math.ceil((windowMs * MICROS_PER_MS) / limit);
}

/** The arrival time of an idle bucket at `now`, which is in unix milliseconds here and below. */
export function idleTat(now: number): number {
  return now * MICROS_PER_MS;
}

/** The latest arrival time with which one more request still fits. */
export function latestTat(rate: RateLimit, now: number): number {
  return idleTat(now) + (rate.limit - 1) * emissionInterval(rate);
}

/** The arrival time once one more request is in. */
export function nextTat(rate: RateLimit, tat: number, now: number): number {
  return Math.max(tat, idleTat(now)) + emissionInterval(rate);
}

/** Requests that fit right now; 0 when the bucket is full. */
export function remaining(rate: RateLimit, tat: number, now: number): number {
  const used = Math.ceil(Math.max(tat - idleTat(now), 0) / emissionInterval(rate));
  return Math.max(0, rate.limit - used);
}

/** Whole seconds after which one more request fits: 0 if it does already. */
export function retryAfterSeconds(rate: RateLimit, tat: number, now: number): number {
  return Math.max(0, Math.ceil((tat - latestTat(rate, now)) / MICROS_PER_SECOND));
}

/** Whole seconds until the bucket is empty again and the full limit is there. */
export function resetSeconds(tat: number, now: number): number {
  return Math.max(0, Math.ceil((tat - idleTat(now)) / MICROS_PER_SECOND));
}
