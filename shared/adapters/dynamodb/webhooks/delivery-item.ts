import { z } from 'zod';
import { Delivery } from '../../../contract/webhooks/webhook.ts';
import type { DeliveryKey } from '../../../ports/webhooks.ts';

/** Partitions of the sparse index of pending deliveries, so that none runs hot. */
export const DUE_SHARDS = 4;

export const deliveriesTo = ({ orgId, endpointId }: Omit<DeliveryKey, 'id'>) =>
  `DELIVERIES#${orgId}#${endpointId}`;

export const itemKey = (key: DeliveryKey) => ({ pk: deliveriesTo(key), sk: key.id });

/** The reverse of `itemKey`. */
export function deliveryKey({ pk, sk }: Record<string, unknown>): DeliveryKey {
  const [, orgId = '', endpointId = ''] = String(pk).split('#');
  return { orgId, endpointId, id: String(sk) };
}

/** Only a pending delivery has a shard and appears in the sparse index. */
export function deliveryItem(delivery: Delivery) {
  const { id, dueAt } = delivery;
  const shard = { due_shard: String(Number.parseInt(id.slice(-4), 16) % DUE_SHARDS) };
  return { ...itemKey(delivery), ...z.encode(Delivery, delivery), ...(dueAt && shard) };
}
