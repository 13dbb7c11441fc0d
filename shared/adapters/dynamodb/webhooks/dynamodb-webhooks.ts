import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { Endpoint } from '../../../contract/webhooks/webhook.ts';
import type { Webhooks } from '../../../ports/webhooks.ts';
import type { TableOptions } from '../conditional-table.ts';
import { sortedTable } from '../sorted-table.ts';

/** The Webhooks port on a DynamoDB table with string keys `pk` and `sk`. */
export function dynamodbWebhooks({ client, table }: TableOptions): Webhooks {
  const items = sortedTable({ client, table });
  const keyOf = (orgId: string, id: string) => ({ pk: `ENDPOINTS#${orgId}`, sk: id });
  const toItem = (it: Endpoint) => ({ ...keyOf(it.orgId, it.id), ...z.encode(Endpoint, it) });

  return {
    add: (endpoint) => items.add(toItem(endpoint)),

    find: async (orgId, id) => {
      const item = await items.get(keyOf(orgId, id));
      return item && Endpoint.parse(item);
    },

    list: async (orgId) => {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: table,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': `ENDPOINTS#${orgId}` },
          // An endpoint that was just created receives the next event.
          ConsistentRead: true,
        }),
      );
      return Items.map((item) => Endpoint.parse(item));
    },

    replace: (before, after) => items.replace(toItem(after), before.version),

    remove: (orgId, id) => items.remove(keyOf(orgId, id)),
  };
}
