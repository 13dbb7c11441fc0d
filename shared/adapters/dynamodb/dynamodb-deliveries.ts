import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { Delivery } from '../../contract/webhook.ts';
import { isoDate } from '../../contract/time.ts';
import type { Deliveries, DeliveryKey } from '../../webhook-ports.ts';
import type { TableOptions } from './conditional-table.ts';
import { sortedTable } from './sorted-table.ts';

/** Partitions of the sparse index of pending deliveries, so that none runs hot. */
const DUE_SHARDS = 4;

/**
 * The Deliveries port on a DynamoDB table with string keys `pk` and `sk`, time to live `expires_at` and the
 * index `due` (`due_shard`, `due_at`) of keys.
 */
export function dynamodbDeliveries({ client, table }: TableOptions): Deliveries {
  const items = sortedTable({ client, table });

  return {
    add: (delivery) => items.add(toItem(delivery)),

    find: async (key) => {
      const item = await items.get(keyOf(key));
      return item && Delivery.parse(item);
    },

    replace: (before, after) => items.replace(toItem(after), before.version),

    list: async (orgId, endpointId, { before, limit }) => {
      const pk = partitionOf({ orgId, endpointId });
      const { Items = [], LastEvaluatedKey } = await client.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': pk },
          ...(before !== undefined && { ExclusiveStartKey: { pk, sk: before } }),
          ScanIndexForward: false,
          ConsistentRead: true,
          Limit: limit,
        }),
      );
      // An item of a later version is left out.
      const deliveries = Items.map((item) => Delivery.safeParse(item).data).filter((it) => it !== undefined);
      const last = LastEvaluatedKey && String(Items.at(-1)?.['sk']);
      return { deliveries, ...(last !== undefined && { next: last }) };
    },

    due: async (now, limit) => {
      const until = z.encode(isoDate, now);
      const shards = Array.from({ length: DUE_SHARDS }, (_, shard) =>
        dueIn({ client, table }, String(shard), until, limit),
      );
      return (await Promise.all(shards)).flat();
    },
  };
}

async function dueIn({ client, table }: TableOptions, shard: string, until: string, limit: number) {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: table,
      IndexName: 'due',
      KeyConditionExpression: 'due_shard = :shard AND due_at <= :until',
      ExpressionAttributeValues: { ':shard': shard, ':until': until },
      Limit: limit,
    }),
  );
  return Items.map(({ pk, sk }): DeliveryKey => {
    const [, orgId = '', endpointId = ''] = String(pk).split('#');
    return { orgId, endpointId, id: String(sk) };
  });
}

/** Only a pending delivery has a shard and appears in the sparse index. */
function toItem(delivery: Delivery) {
  const { id, dueAt } = delivery;
  const shard = { due_shard: String(Number.parseInt(id.slice(-4), 16) % DUE_SHARDS) };
  return { ...keyOf(delivery), ...z.encode(Delivery, delivery), ...(dueAt && shard) };
}

const partitionOf = ({ orgId, endpointId }: Omit<DeliveryKey, 'id'>) => `DELIVERIES#${orgId}#${endpointId}`;

const keyOf = (key: DeliveryKey) => ({ pk: partitionOf(key), sk: key.id });
