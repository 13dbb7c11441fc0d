import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { TableOptions } from './conditional-table.ts';

/** Sorts after every time. */
export const END_OF_TIME = '~';
const START_OF_TIME = '0';

/** In ISO 8601, both ends included. */
export type TimeRange = { from?: string | undefined; until: string };

/** Items of a partition of the sparse index `open` that are due within a range, the earliest first. */
export async function openItems(
  { client, table }: TableOptions,
  partition: string,
  { from = START_OF_TIME, until }: TimeRange,
  limit: number,
): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: table,
      IndexName: 'open',
      KeyConditionExpression: 'open_shard = :partition AND due_at BETWEEN :from AND :until',
      ExpressionAttributeValues: { ':partition': partition, ':from': from, ':until': until },
      Limit: limit,
    }),
  );
  return Items;
}
