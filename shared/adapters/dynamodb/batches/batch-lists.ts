import { z } from 'zod';
import { Batch } from '../../../contract/batches/batch.ts';
import { isoDate } from '../../../contract/time.ts';
import type { Batches } from '../../../ports/batches.ts';
import { batchGetAll } from '../batch-get.ts';
import { awaitedOf, batchesOf, batchKey, PREFIX, SWEPT } from './batch-item.ts';
import type { TableOptions } from '../conditional-table.ts';
import { keysOf } from '../keys-of.ts';
import { allOpenItems, END_OF_TIME, openItems } from '../open-items.ts';

/** Without batches of an earlier version, whose requests were jobs. */
function readable(items: readonly object[]): Batch[] {
  return items.flatMap((item) => Batch.safeParse(item).data ?? []);
}

/** Batches by the indexes: of an organization, or due. */
export function batchLists(options: TableOptions): Pick<Batches, 'list' | 'open' | 'awaited' | 'due'> {
  const inPartition = async (partition: string, until: string, limit: number) => {
    const found = await openItems(options, partition, until, limit);
    return readable(found);
  };

  return {
    list: async (orgId, { before, limit }) => {
      const range = { before: before && batchKey(before), limit };
      const { keys, next } = await keysOf(options, batchesOf(orgId), range);
      const found = await batchGetAll(options, keys);
      const batches = readable(found).sort((a, b) => (a.id < b.id ? 1 : -1));
      return { batches, ...(next && { next: next.slice(PREFIX.length) }) };
    },

    open: (orgId, limit) => inPartition(batchesOf(orgId), END_OF_TIME, limit),

    awaited: async (orgId, now, limit) => {
      const found = allOpenItems(options, awaitedOf(orgId), { from: z.encode(isoDate, now), limit });
      const batches: Batch[] = [];
      for await (const item of found) {
        batches.push(...readable([item]));
        if (batches.length >= limit) break;
      }
      return batches;
    },

    due: (now, limit) => inPartition(SWEPT, z.encode(isoDate, now), limit),
  };
}
