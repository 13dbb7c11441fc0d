import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { TableOptions } from './conditional-table.ts';

/** Sorts after every time. */
export const END_OF_TIME = '~';

/** Items of a partition of the sparse index `open` that are due by a time, the earliest first. */
export async function openItems(
  { client, table }: TableOptions,
  partition: string,
  until: string,
  limit: number,
): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: table,
      IndexName: 'open',
      KeyConditionExpression: 'open_shard = :partition AND due_at <= :until',
      ExpressionAttributeValues: { ':partition': partition, ':until': until },
      Limit: limit,
    }),
  );
  return Items;
}
