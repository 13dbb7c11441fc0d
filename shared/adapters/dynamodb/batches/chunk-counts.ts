import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { epochSeconds } from '../../../contract/time.ts';
import { linesLeft } from '../../../domain/batches/chunk-state.ts';
import type { Chunks } from '../../../ports/batches.ts';
import { batchGetAll } from '../batch-get.ts';
import { batchKey } from './batch-item.ts';
import { chunkEntry, progressIn } from './chunk-entry.ts';
import type { TableOptions } from '../conditional-table.ts';
import { conditionalUpdates } from '../conditional-updates.ts';

/** How many chunks an item counts. A count writes its whole item, which stays under 1 KB. */
const COUNTED = 20;

const Numbers = z.set(z.number()).or(z.array(z.number()).transform((all) => new Set(all)));

const countKey = (batchId: string, item: number) => `${batchKey(batchId)}#u${item}`;
const itemsFor = (chunks: number) => Math.ceil(chunks / COUNTED);

/** The keys of the items that count so many chunks of a batch. Items without an end do not exist. */
export function countKeys(batchId: string, chunks: number): string[] {
  return Array.from({ length: itemsFor(chunks) }, (_, item) => countKey(batchId, item));
}

/** How far the chunks of batches are: lists of numbers by index, twenty to an item. */
export function chunkCounts(options: TableOptions): Pick<Chunks, 'count' | 'progress'> {
  const update = conditionalUpdates(options);

  return {
    count: async (chunk, chunks) => {
      const { batchId, index, version, expiresAt } = chunk;
      const item = Math.floor(index / COUNTED);
      const pk = countKey(batchId, item);
      await update(pk, 'SET #chunk = :entry, expires_at = :expires', {
        condition: 'attribute_not_exists(#chunk) OR #chunk[0] < :version',
        values: {
          ':entry': chunkEntry(chunk),
          ':version': version,
          ':expires': z.encode(epochSeconds, expiresAt),
        },
        names: { '#chunk': `k${index}` },
      });
      if (linesLeft(chunk) > 0) return false;
      // Read afterwards: of two chunks that end together, at least the later one sees both.
      const done = (await batchGetAll(options, [pk])).flatMap(progressIn).filter(({ isDone }) => isDone);
      if (done.length < Math.min(COUNTED, chunks - item * COUNTED)) return false;
      const full = await fullItems(options, batchId, item);
      return full.size === itemsFor(chunks);
    },

    progress: async (batchId, chunks) =>
      (await batchGetAll(options, countKeys(batchId, chunks))).flatMap(progressIn),
  };
}

/** Notes that all chunks that an item counts have ended, and returns the numbers of all such items. */
async function fullItems(
  { client, table }: TableOptions,
  batchId: string,
  item: number,
): Promise<Set<number>> {
  const { Attributes = {} } = await client.send(
    new UpdateCommand({
      TableName: table,
      Key: { pk: batchKey(batchId) },
      UpdateExpression: 'ADD full_parts :item',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':item': new Set([item]) },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return Numbers.parse(Attributes['full_parts']);
}
