import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import type { Batches } from '../../batch-ports.ts';
import { batchGetAll } from './batch-get.ts';
import type { TableOptions } from './conditional-table.ts';

/** Jobs that one item counts. Each count writes the whole item, so it stays under the 1 KB of one unit. */
const PART = 100;

const Numbers = z.set(z.number()).or(z.array(z.number()).transform((all) => new Set(all)));
type Change = Partial<ConstructorParameters<typeof UpdateCommand>[0]>;

/** Sets of indexes: `failed`, and `c<credits>` of completed jobs. */
const Part = z.record(z.string(), z.unknown());

/**
 * Counts how the jobs of batches ended. A number set holds an index once, so counting twice after a crash
 * changes nothing.
 */
export function countsOfBatches(
  { client, table }: TableOptions,
  keyOf: (id: string) => string,
  expiry: (time: Date) => number,
): Pick<Batches, 'count' | 'progress'> {
  const partKey = (id: string, part: number) => `${keyOf(id)}#${part}`;
  const add = async (pk: string, name: string, value: number, change: Change) => {
    const { ExpressionAttributeValues: values, UpdateExpression: more = '', ...rest } = change;
    const { Attributes = {} } = await client.send(
      new UpdateCommand({
        TableName: table,
        Key: { pk },
        ...rest,
        UpdateExpression: `ADD #name :value ${more}`,
        ExpressionAttributeNames: { '#name': name },
        ExpressionAttributeValues: { ':value': new Set([value]), ...values },
        ReturnValues: 'ALL_NEW',
      }),
    );
    return Attributes;
  };

  return {
    count: async ({ id, index, total }, outcome, expiresAt) => {
      const part = Math.floor(index / PART);
      const name = outcome === 'failed' ? outcome : `c${outcome}`;
      const values = { ':expires': expiry(expiresAt) };
      const kept = { UpdateExpression: 'SET expires_at = :expires', ExpressionAttributeValues: values };
      const counted = setsOf(await add(partKey(id, part), name, index, kept));
      const size = counted.reduce((sum, [, indexes]) => sum + indexes.size, 0);
      if (size < Math.min(PART, total - part * PART)) return false;
      const existing = { ConditionExpression: 'attribute_exists(pk)' };
      const { full_parts: full } = await add(keyOf(id), 'full_parts', part, existing);
      return Numbers.parse(full).size === Math.ceil(total / PART);
    },

    progress: async ({ id, total }) => {
      const keys = Array.from({ length: Math.ceil(total / PART) }, (_, part) => partKey(id, part));
      const sets = (await batchGetAll({ client, table }, keys)).flatMap(setsOf);
      const ended = sets.filter(([name]) => name !== 'failed');
      return {
        completed: new Map(
          ended.flatMap(([name, indexes]) => [...indexes].map((index) => [index, Number(name.slice(1))])),
        ),
        failed: new Set(sets.flatMap(([name, indexes]) => (name === 'failed' ? [...indexes] : []))),
      };
    },
  };
}

function setsOf(item: object): [name: string, indexes: Set<number>][] {
  return Object.entries(Part.parse(item))
    .filter(([name]) => /^(failed|c\d+)$/.test(name))
    .map(([name, indexes]) => [name, Numbers.parse(indexes)]);
}
