import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { Delivery } from '../../../contract/webhooks/webhook.ts';
import type { Deliveries } from '../../../ports/webhooks.ts';
import type { TableOptions } from '../conditional-table.ts';
import { deliveriesTo, deliveryItem, itemKey } from './delivery-item.ts';
import { dueDeliveries } from './due-deliveries.ts';
import { sortedTable } from '../sorted-table.ts';

/**
 * The Deliveries port on a DynamoDB table with string keys `pk` and `sk`, time to live `expires_at` and the
 * index `due` (`due_shard`, `due_at`) of keys.
 */
export function dynamodbDeliveries({ client, table }: TableOptions): Deliveries {
  const items = sortedTable({ client, table });

  return {
    add: (delivery) => items.add(deliveryItem(delivery)),

    find: async (key) => {
      const item = await items.get(itemKey(key));
      return item && Delivery.parse(item);
    },

    replace: (before, after) => items.replace(deliveryItem(after), before.version),

    list: async (orgId, endpointId, { before, limit }) => {
      const pk = deliveriesTo({ orgId, endpointId });
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

    due: (now, limit) => dueDeliveries({ client, table }, now, limit),
  };
}
