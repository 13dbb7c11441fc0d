import { jitter } from '../work/jitter.ts';

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

/** Up to a tenth is added, so that deliveries that failed together are retried apart. */
const JITTER = 0.1;

/** Seconds until the next attempt after so many; undefined after the last. */
export function retryDelay(id: string, tries: number): number | undefined {
  const delay = DELAYS[tries - 1];
  return delay === undefined ? undefined : delay * (1 + JITTER * jitter(id, tries));
}
