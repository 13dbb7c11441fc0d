import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { busy } from '../../errors.ts';
import type { TableOptions } from './conditional-table.ts';

type Item = Record<string, unknown>;

/** DynamoDB leaves out what exceeds 16 MB, and what it throttles. */
const MAX_ROUNDS = 10;

/** The items of up to 100 keys that exist, in any order. Throws `busy` if DynamoDB keeps some back. */
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
