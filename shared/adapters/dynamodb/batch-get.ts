import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { busy } from '../../errors.ts';
import type { TableOptions } from './conditional-table.ts';

type Item = Record<string, unknown>;

/** DynamoDB returns at most 16 MB at once, and leaves out throttled keys. */
const MAX_ROUNDS = 10;

const CONCURRENCY = 100;

/** The existing items of any number of keys, in any order. Throws `busy` as `batchGet` does. */
export async function batchGetAll(table: TableOptions, keys: readonly string[]): Promise<Item[]> {
  const starts = Array.from({ length: Math.ceil(keys.length / CONCURRENCY) }, (_, n) => n * CONCURRENCY);
  const found = await Promise.all(
    starts.map(async (start) => batchGet(table, keys.slice(start, start + CONCURRENCY))),
  );
  return found.flat();
}

/** The existing items of up to 100 keys, in any order. Throws `busy` if keys stay throttled. */
export async function batchGet({ client, table }: TableOptions, keys: readonly string[]): Promise<Item[]> {
  const found: Item[] = [];
  let wanted: Item[] = keys.map((pk) => ({ pk }));
  for (let round = 0; wanted.length > 0; round++) {
    if (round === MAX_ROUNDS) throw busy();
    const { Responses, UnprocessedKeys } = await client.send(
      new BatchGetCommand({ RequestItems: { [table]: { Keys: wanted, ConsistentRead: true } } }),
    );
    found.push(...(Responses?.[table] ?? []));
    wanted = UnprocessedKeys?.[table]?.Keys ?? [];
  }
  return found;
}
