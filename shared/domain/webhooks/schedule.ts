const SECOND = 1;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Seconds from a failed attempt to the next, as Standard Webhooks recommends: 76 hours in all. */
const DELAYS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
export const MAX_TRIES = DELAYS.length + 1;

/** Up to a tenth is added, so that deliveries that failed together are retried apart. */
const JITTER = 0.1;
const GOLDEN_RATIO = 0.618;

/** Seconds until the next attempt after so many; undefined after the last. */
export function retryDelay(id: string, tries: number): number | undefined {
  const delay = DELAYS[tries - 1];
  return delay === undefined ? undefined : delay * (1 + JITTER * spread(id, tries));
}

/** 0 to 1, from the id's hash. */
export function spread(id: string, turn: number): number {
  return (Number.parseInt(id.slice(-4), 16) / 0x1_00_00 + turn * GOLDEN_RATIO) % 1;
}
