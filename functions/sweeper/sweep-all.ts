import { sweepDeliveries } from './sweep-deliveries.ts';
import { sweepBacklogs } from './sweep-backlogs.ts';
import { sweepBatches } from './sweep-batches.ts';
import { sweepChunks } from './sweep-chunks.ts';
import { sweepSlots } from './sweep-slots.ts';
import { type Needs, sweep } from './sweep.ts';

/** Sweeps all that may be stuck. A fault in one sweep stops no other; the first one is thrown at the end. */
export async function sweepAll(fx: Needs, signal: AbortSignal): Promise<void> {
  // First, because jobs of a backlog begin in the slots that it frees.
  const slots = await Promise.allSettled([sweepSlots(fx, signal)]);
  const others = await Promise.allSettled([
    sweepBacklogs(fx, signal),
    sweepBatches(fx, signal),
    sweepChunks(fx, signal),
    sweep(fx, signal),
    sweepDeliveries(fx, signal),
  ]);
  for (const each of [...slots, ...others]) if (each.status === 'rejected') throw each.reason;
}
