import { isDue } from '../../shared/domain/work/lease.ts';
import { sent } from '../../shared/domain/webhooks/state.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import type { DeliveryKey } from '../../shared/ports/webhooks.ts';
import type { Due } from './sweep-due.ts';

type Needs = Pick<Effects, 'deliveries' | 'notifierQueue' | 'now'>;

/** Deliveries that are due and have no message. */
export function dueDeliveries(fx: Needs): Due<DeliveryKey, 'sent'> {
  return {
    name: 'deliveries',
    list: (limit) => fx.deliveries.due(fx.now(), limit),
    idOf: ({ orgId, endpointId, id }) => `${orgId}#${endpointId}#${id}`,
    moveOn: (key) => send(fx, key),
    concurrency: 100,
  };
}

/** Deferred first, so that the next sweep sends no second message. */
async function send(fx: Needs, key: DeliveryKey): Promise<{ sent: number } | undefined> {
  const delivery = await fx.deliveries.find(key);
  if (!delivery || !isDue(delivery, fx.now())) return undefined;
  if (!(await fx.deliveries.replace(delivery, sent(delivery, fx.now())))) return undefined;
  await fx.notifierQueue.deliver(key);
  return { sent: 1 };
}
