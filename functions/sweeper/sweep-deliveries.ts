import { sent } from '../../shared/domain/webhooks/state.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import type { DeliveryKey } from '../../shared/ports/webhooks.ts';

type Needs = Pick<Effects, 'deliveries' | 'notifierQueue' | 'now'>;

const PAGE = 100;

/** Sends deliveries that are due and have no message. One that fails delays no other; throws at the end. */
export async function sweepDeliveries(fx: Needs, signal: AbortSignal): Promise<number> {
  const seen = new Set<string>();
  const faults: unknown[] = [];
  while (!signal.aborted) {
    // The index is eventually consistent and still lists deliveries that were just sent.
    const due = await fx.deliveries.due(fx.now(), PAGE + seen.size);
    const fresh = due.filter((key) => !seen.has(nameOf(key)));
    if (fresh.length === 0) break;
    for (const key of fresh) seen.add(nameOf(key));
    const steps = await Promise.allSettled(fresh.map((key) => send(fx, key)));
    for (const step of steps) if (step.status === 'rejected') faults.push(step.reason);
  }
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} deliveries could not be sent`);
  return seen.size;
}

const nameOf = ({ orgId, endpointId, id }: DeliveryKey) => `${orgId}#${endpointId}#${id}`;

/** Deferred first, so that the next sweep sends no second message. */
async function send(fx: Needs, key: DeliveryKey): Promise<void> {
  const delivery = await fx.deliveries.find(key);
  if (delivery?.dueAt === undefined || delivery.dueAt > fx.now()) return;
  if (await fx.deliveries.replace(delivery, sent(delivery, fx.now()))) await fx.notifierQueue.deliver(key);
}
