import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { TableOptions } from './conditional-table.ts';

type Range = { after?: string | undefined; before?: string | undefined; limit: number };

/**
 * Keys of the items of one owner, the last first. `next` is the last key that was read, absent at the
 * end. The index `by_org` holds keys alone, so that it is written only when an item is created or deleted.
 */
export async function keysOf(
  { client, table }: TableOptions,
  owner: string,
  { after, before, limit }: Range,
): Promise<{ keys: string[]; next: string | undefined }> {
  // DynamoDB refuses to start outside the range.
  if (after !== undefined && before !== undefined && before <= after) return { keys: [], next: undefined };
  const { Items = [], LastEvaluatedKey } = await client.send(
    new QueryCommand({
      TableName: table,
      IndexName: 'by_org',
      KeyConditionExpression: `job_of = :owner${after === undefined ? '' : ' AND pk > :after'}`,
      ExpressionAttributeValues: { ':owner': owner, ...(after !== undefined && { ':after': after }) },
      ...(before !== undefined && { ExclusiveStartKey: { job_of: owner, pk: before } }),
      ScanIndexForward: false,
      Limit: limit,
    }),
  );
  const keys = Items.map(({ pk }) => String(pk));
  return { keys, next: LastEvaluatedKey && keys.at(-1) };
}
