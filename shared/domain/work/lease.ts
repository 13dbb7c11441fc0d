import { addMs, MINUTE_MS, SECOND_MS } from '../../time/units.ts';

/** Of every lease, for what its owner writes after an attempt. */
export const LEASE_MARGIN_MS = 20 * SECOND_MS;
/** Work that nobody has touched for this long may have lost its message or its owner. */
export const STALE_MS = MINUTE_MS;

/** When a lease ends whose attempt takes so long at most. Nobody else may begin the work earlier. */
export function leaseEnd(now: Date, attemptMs: number): Date {
  return addMs(now, attemptMs + LEASE_MARGIN_MS);
}

/** With the next fencing token: writes fail for owners that read the work before this. */
export function fenced<W extends { fencingToken: number }>(work: W): W {
  return { ...work, fencingToken: work.fencingToken + 1 };
}

/** Whether the sweeper should look at the work: a lease has lapsed, or a message is lost. */
export function isDue({ dueAt }: { dueAt?: Date | undefined }, now: Date): boolean {
  return dueAt !== undefined && dueAt <= now;
}
