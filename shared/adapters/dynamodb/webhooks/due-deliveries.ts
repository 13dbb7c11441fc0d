import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { isoDate } from '../../../contract/time.ts';
import type { DeliveryKey } from '../../../ports/webhooks.ts';
import type { TableOptions } from '../conditional-table.ts';
import { deliveryKey, DUE_SHARDS } from './delivery-item.ts';

/** Keys of deliveries past their `dueAt`, up to `limit` of each shard. */
export async function dueDeliveries(table: TableOptions, now: Date, limit: number): Promise<DeliveryKey[]> {
  const until = z.encode(isoDate, now);
  const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => dueIn(table, String(shard), until, limit));
  return (await Promise.all(shards)).flat();
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
  return Items.map(deliveryKey);
}
