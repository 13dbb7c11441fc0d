import type { Context } from 'aws-lambda';
import type { Effects } from '../../shared/ports/effects.ts';
import { DAY_MS } from '../../shared/time/units.ts';
import { organizationsWithBacklogs } from './backlogs.ts';
import { dueBatches } from './batches.ts';
import { dueChunks } from './chunks.ts';
import { dueCrawls } from './crawls.ts';
import { dueDeliveries } from './deliveries.ts';
import { dueJobs, type Needs } from './jobs.ts';
import { organizationsWithSlots } from './slots.ts';
import { sweepDue } from './sweep-due.ts';

/** Time to finish the last page of a sweep. */
const MARGIN_MS = 10_000;

export const sweepSignal = (context: Pick<Context, 'getRemainingTimeInMillis'>) =>
  AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - MARGIN_MS));

/** Counts the days since this Chromium was released, for an alarm. */
export function countChromiumAge({ count, now }: Pick<Effects, 'count' | 'now'>, released: Date): void {
  count('ChromiumAge', Math.floor((now().getTime() - released.getTime()) / DAY_MS));
}

/** Handles all that may be stuck. A fault in one kind stops no other; the first is thrown at the end. */
export async function sweep(fx: Needs, signal: AbortSignal): Promise<void> {
  // First, because jobs of a backlog begin in the slots that it frees.
  const slots = await Promise.allSettled([sweepDue(organizationsWithSlots(fx), fx.log, signal)]);
  const others = await Promise.allSettled([
    sweepDue(organizationsWithBacklogs(fx), fx.log, signal),
    sweepDue(dueBatches(fx), fx.log, signal),
    sweepDue(dueChunks(fx), fx.log, signal),
    sweepDue(dueCrawls(fx), fx.log, signal),
    sweepDue(dueJobs(fx), fx.log, signal),
    sweepDue(dueDeliveries(fx), fx.log, signal),
  ]);
  for (const each of [...slots, ...others]) if (each.status === 'rejected') throw each.reason;
}
