import { z } from 'zod';
import { Delivery } from '../../../contract/webhooks/webhook.ts';
import { isoDate } from '../../../contract/time.ts';
import type { Deliveries, DeliveryKey } from '../../../ports/webhooks.ts';
import { IS_NEW, type Item, openTable, type Table, type TableOptions, unchanged } from '../table.ts';

/** Partitions of the sparse index of pending deliveries, so that none runs hot. */
const DUE_SHARDS = 4;

/**
 * The Deliveries port on a DynamoDB table with string keys `pk` and `sk`, time to live `expires_at` and the
 * index `due` (`due_shard`, `due_at`) of keys.
 */
export function dynamodbDeliveries(options: TableOptions): Deliveries {
  const table = openTable(options);

  return {
    add: (delivery) => table.put(itemOf(delivery), IS_NEW),

    find: async (key) => {
      const item = await table.get(itemKey(key));
      return item && Delivery.parse(item);
    },

    replace: (before, after) => table.put(itemOf(after), unchanged(before)),

    list: async (orgId, endpointId, { before, limit }) => {
      const pk = deliveriesTo({ orgId, endpointId });
      const after = before === undefined ? undefined : { pk, sk: before };
      const query = { where: 'pk = :pk', values: { ':pk': pk }, after, limit };
      const { items, last } = await table.query({ ...query, isNewestFirst: true, isConsistent: true });
      // An item of a later version is left out.
      const deliveries = items.map((item) => Delivery.safeParse(item).data).filter((it) => it !== undefined);
      return { deliveries, ...(last && { next: String(items.at(-1)?.['sk']) }) };
    },

    due: async (now, limit) => {
      const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => String(shard));
      const due = await Promise.all(shards.map((shard) => dueIn(table, shard, { now, limit })));
      return due.flat();
    },
  };
}

async function dueIn(table: Table, shard: string, { now, limit }: { now: Date; limit: number }) {
  const { items } = await table.query({
    index: 'due',
    where: 'due_shard = :shard AND due_at <= :until',
    values: { ':shard': shard, ':until': z.encode(isoDate, now) },
    limit,
  });
  return items.map(deliveryKey);
}

const deliveriesTo = ({ orgId, endpointId }: Omit<DeliveryKey, 'id'>) => `DELIVERIES#${orgId}#${endpointId}`;

const itemKey = (key: DeliveryKey) => ({ pk: deliveriesTo(key), sk: key.id });

/** The reverse of `itemKey`. */
function deliveryKey({ pk, sk }: Item): DeliveryKey {
  const [, orgId = '', endpointId = ''] = String(pk).split('#');
  return { orgId, endpointId, id: String(sk) };
}

/** Only a pending delivery has a shard and appears in the sparse index. */
function itemOf(delivery: Delivery) {
  const { id, dueAt } = delivery;
  const shard = { due_shard: String(Number.parseInt(id.slice(-4), 16) % DUE_SHARDS) };
  return { ...itemKey(delivery), ...z.encode(Delivery, delivery), ...(dueAt && shard) };
}
