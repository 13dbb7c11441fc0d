/**
 * GCRA as virtual scheduling, ITU-T I.371 annex A. Theoretical arrival times (tat) are whole unix
 * microseconds, because fractions would drift.
 */
export type RateLimit = { limit: number; windowMs: number };

const MICROS_PER_MS = 1_000;
const MICROS_PER_SECOND = 1_000_000;

export function emissionInterval({ limit, windowMs }: RateLimit): number {
  return Math.ceil((windowMs * MICROS_PER_MS) / limit);
}

/** The arrival time of an idle bucket; `now` is in unix milliseconds here and below. */
export function idleTat(now: number): number {
  return now * MICROS_PER_MS;
}

/** The latest arrival time at which one more request fits. */
export function latestTat(rate: RateLimit, now: number): number {
  return idleTat(now) + (rate.limit - 1) * emissionInterval(rate);
}

export function nextTat(rate: RateLimit, tat: number, now: number): number {
  return Math.max(tat, idleTat(now)) + emissionInterval(rate);
}

export function remaining(rate: RateLimit, tat: number, now: number): number {
  const used = Math.ceil(Math.max(tat - idleTat(now), 0) / emissionInterval(rate));
  return Math.max(0, rate.limit - used);
}

/** Whole seconds until one more request fits; 0 if it does now. */
export function retryAfterSeconds(rate: RateLimit, tat: number, now: number): number {
  return Math.max(0, Math.ceil((tat - latestTat(rate, now)) / MICROS_PER_SECOND));
}

export function resetSeconds(tat: number, now: number): number {
  return Math.max(0, Math.ceil((tat - idleTat(now)) / MICROS_PER_SECOND));
}
