import { paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { TableOptions } from './conditional-table.ts';

type Item = Record<string, unknown>;

/** Sorts after every time. */
export const END_OF_TIME = '~';
const START_OF_TIME = '0';

/** Items of a partition of the sparse index `open` that are due by a time, the earliest first. */
export async function openItems(
  { client, table }: TableOptions,
  partition: string,
  until: string,
  limit: number,
): Promise<Item[]> {
  const { Items = [] } = await client.send(
    new QueryCommand({ ...query(table, partition, { until }), Limit: limit }),
  );
  return Items;
}

type Range = {
  /** In ISO 8601. */
  from?: string | undefined;
  after?: Item | undefined;
  /** Items that are likely to be needed. DynamoDB returns 1 MB at once, however many. */
  limit: number;
};

/** All items of a partition that are due from a time on, after the item with that key. */
export async function* allOpenItems(
  { client, table }: TableOptions,
  partition: string,
  { from, after, limit }: Range,
): AsyncGenerator<Item> {
  const input = { ...query(table, partition, { from }), ...(after && { ExclusiveStartKey: after }) };
  for await (const { Items = [] } of paginateQuery({ client, pageSize: limit }, input)) yield* Items;
}

function query(
  table: string,
  partition: string,
  { from = START_OF_TIME, until = END_OF_TIME }: { from?: string | undefined; until?: string },
) {
  return {
    TableName: table,
    IndexName: 'open',
    KeyConditionExpression: 'open_shard = :partition AND due_at BETWEEN :from AND :until',
    ExpressionAttributeValues: { ':partition': partition, ':from': from, ':until': until },
  };
}
