import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { TableOptions } from '../conditional-table.ts';

type Item = Record<string, unknown> & { pk?: unknown };

/** An organization's items whose keys begin so, by the index `by_org` (`org_id`, `pk`). */
export async function itemsOf(
  { client, table }: TableOptions,
  orgId: string,
  prefix: string,
): Promise<Item[]> {
  const pages = paginateQuery(
    { client },
    {
      TableName: table,
      IndexName: 'by_org',
      KeyConditionExpression: 'org_id = :org AND begins_with(pk, :prefix)',
      ExpressionAttributeValues: { ':org': orgId, ':prefix': prefix },
    },
  );
  const found: Item[] = [];
  for await (const { Items = [] } of pages) found.push(...Items);
  return found;
}
