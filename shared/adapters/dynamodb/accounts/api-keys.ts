import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { ApiKeyRecord } from '../../../contract/accounts/account.ts';
import type { Accounts } from '../../../ports/accounts.ts';
import { conditionalTable, type TableOptions } from '../conditional-table.ts';

type ApiKeys = Pick<Accounts, 'findKey' | 'saveKey' | 'replaceKey' | 'keysOf'>;

/** API keys in items `KEY#<id>`, and in the index `by_org`. */
export function apiKeys({ client, table }: TableOptions): ApiKeys {
  const items = conditionalTable({ client, table });
  const toItem = (key: ApiKeyRecord) => ({ pk: `KEY#${key.id}`, ...z.encode(ApiKeyRecord, key) });

  return {
    findKey: async (id) => {
      const { Item } = await client.send(new GetCommand({ TableName: table, Key: { pk: `KEY#${id}` } }));
      return Item && ApiKeyRecord.parse(Item);
    },

    saveKey: async (key) => {
      await items.put(toItem(key));
    },

    replaceKey: (key) =>
      items.put(toItem(key), '#status = :active', { ':active': 'active' }, { '#status': 'status' }),

    keysOf: async (orgId) => {
      const { Items = [] } = await client.send(
        new QueryCommand({
          TableName: table,
          IndexName: 'by_org',
          KeyConditionExpression: 'org_id = :org AND begins_with(pk, :key)',
          ExpressionAttributeValues: { ':org': orgId, ':key': 'KEY#' },
        }),
      );
      return Items.map((item) => ApiKeyRecord.parse(item));
    },
  };
}
