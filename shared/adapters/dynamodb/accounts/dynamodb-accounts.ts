import { GetCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { Organization } from '../../../contract/accounts/account.ts';
import type { Accounts } from '../../../ports/accounts.ts';
import { apiKeys } from './api-keys.ts';
import { conditionalTable, type TableOptions } from '../conditional-table.ts';
import { dynamodbUsage } from '../usage/dynamodb-usage.ts';
import { keyUse } from './key-use.ts';
import type { UsageOptions } from '../usage/usage-item.ts';

/** The Accounts port on a DynamoDB table with string key `pk` and index `by_org` (`org_id`, `pk`). */
export function dynamodbAccounts(options: UsageOptions): Accounts {
  const { client, table } = options;
  const items = conditionalTable({ client, table });
  const toItem = (it: Organization) => ({ pk: `ORG#${it.id}`, ...z.encode(Organization, it) });

  return {
    findOrganization: async (id) => {
      const { Item } = await client.send(new GetCommand({ TableName: table, Key: { pk: `ORG#${id}` } }));
      return Item && Organization.parse(Item);
    },

    saveOrganization: async (organization) => {
      await items.put(toItem(organization));
    },

    removeOrganization: async (id) => {
      await items.remove(`USAGE#${id}`, 'attribute_exists(pk)');
      await items.remove(`ORG#${id}`, 'attribute_exists(pk)');
    },

    addOrganization: (organization) => items.put(toItem(organization), 'attribute_not_exists(pk)'),

    organizations: () => organizationsIn({ client, table }),

    ...apiKeys({ client, table }),
    ...keyUse({ client, table }),
    ...dynamodbUsage(options),
  };
}

async function organizationsIn({ client, table }: TableOptions): Promise<Organization[]> {
  const pages = paginateScan(
    { client },
    {
      TableName: table,
      FilterExpression: 'begins_with(pk, :organization)',
      ExpressionAttributeValues: { ':organization': 'ORG#' },
    },
  );
  const found: Organization[] = [];
  for await (const { Items = [] } of pages) found.push(...Items.map((item) => Organization.parse(item)));
  return found.sort((a, b) => +a.createdAt - +b.createdAt);
}
