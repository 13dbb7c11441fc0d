import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { batchGetAll } from '../batch-get.ts';
import { batchKey } from './batch-item.ts';
import type { TableOptions } from '../conditional-table.ts';

export const Numbers = z.set(z.number()).or(z.array(z.number()).transform((all) => new Set(all)));

/** One of all jobs or chunks of a batch. */
type Place = { id: string; index: number; total: number };

/** How many jobs or chunks an item counts. A count writes its whole item, which stays under 1 KB. */
type Parts = { mark: string; size: number };
export const JOB_PARTS: Parts = { mark: '', size: 100 };
export const CHUNK_PARTS: Parts = { mark: 'u', size: 20 };

const partKey = (id: string, { mark }: Parts, part: number) => `${batchKey(id)}#${mark}${part}`;

/** The keys of the items that count so many jobs or chunks of a batch. Items without an end do not exist. */
export function partKeys(id: string, parts: Parts, total: number): string[] {
  return Array.from({ length: Math.ceil(total / parts.size) }, (_, part) => partKey(id, parts, part));
}

/** The items that count jobs or chunks. */
export function countedParts(options: TableOptions, parts: Parts) {
  const { size } = parts;
  const partOf = (index: number) => Math.floor(index / size);
  const partsIn = (total: number) => Math.ceil(total / size);

  return {
    /** The item that counts this place, and how many places it counts. */
    at: ({ id, index, total }: Place) => {
      const part = partOf(index);
      return { pk: partKey(id, parts, part), places: Math.min(size, total - part * size) };
    },

    /** The existing items of a batch, in any order. */
    all: (id: string, total: number) => batchGetAll(options, partKeys(id, parts, total)),

    /** Notes that all places of an item have ended. True if the places of the other items have, too. */
    close: async ({ id, index, total }: Place): Promise<boolean> => {
      const full = await closedParts(options, id, partOf(index));
      return full.size === partsIn(total);
    },
  };
}

async function closedParts({ client, table }: TableOptions, id: string, part: number): Promise<Set<number>> {
  const { Attributes = {} } = await client.send(
    new UpdateCommand({
      TableName: table,
      Key: { pk: batchKey(id) },
      UpdateExpression: 'ADD full_parts :part',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':part': new Set([part]) },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return Numbers.parse(Attributes['full_parts']);
}
