import { DAY_MS, SECOND_MS } from '../../time/units.ts';

/** Of jobs, batches and deliveries, and of their results. */
export const RETENTION_MS = 30 * DAY_MS;

/** Storage keeps the ends of retentions in whole seconds. */
export function expiryAfter(date: Date, ms = RETENTION_MS): Date {
  return new Date(Math.floor((date.getTime() + ms) / SECOND_MS) * SECOND_MS);
}
