import { GetCommand, paginateScan, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { ApiKeyRecord, Organization } from '../../contract/account.ts';
import type { Accounts } from '../../ports.ts';
import { conditionalTable } from './conditional-table.ts';
import { dynamodbUsage } from './dynamodb-usage.ts';
import { keyUse } from './key-use.ts';
import type { UsageOptions } from './usage-item.ts';

/** The Accounts port on a DynamoDB table with string key `pk` and index `by_org` (`org_id`, `pk`). */
export function dynamodbAccounts(options: UsageOptions): Accounts {
  const { client, table } = options;
  const find = async <S extends z.ZodType>(pk: string, schema: S): Promise<z.output<S> | undefined> => {
    const { Item } = await client.send(new GetCommand({ TableName: table, Key: { pk } }));
    return Item && schema.parse(Item);
  };
  const put = async (pk: string, item: object) => {
    await client.send(new PutCommand({ TableName: table, Item: { pk, ...item } }));
  };

  return {
    findKey: (id) => find(`KEY#${id}`, ApiKeyRecord),
    findOrganization: (id) => find(`ORG#${id}`, Organization),
    saveOrganization: (organization) => put(`ORG#${organization.id}`, z.encode(Organization, organization)),
    addOrganization: (organization) =>
      conditionalTable({ client, table }).put(
        { pk: `ORG#${organization.id}`, ...z.encode(Organization, organization) },
        'attribute_not_exists(pk)',
      ),
    saveKey: (key) => put(`KEY#${key.id}`, z.encode(ApiKeyRecord, key)),
    replaceKey: (key) =>
      conditionalTable({ client, table }).put(
        { pk: `KEY#${key.id}`, ...z.encode(ApiKeyRecord, key) },
        '#status = :active',
        { ':active': 'active' },
        { '#status': 'status' },
      ),

    organizations: () => organizationsIn(client, table),

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

    ...keyUse({ client, table }),
    ...dynamodbUsage(options),
  };
}

async function organizationsIn(client: UsageOptions['client'], table: string): Promise<Organization[]> {
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
