import { z } from 'zod';
import { Batch } from '../../../contract/batches/batch.ts';
import { isoDate } from '../../../contract/time.ts';
import type { Batches } from '../../../ports/batches.ts';
import { batchItem, batchKey, SWEPT } from './batch-item.ts';
import { batchLists } from './batch-lists.ts';
import { conditionalTable, type TableOptions } from '../conditional-table.ts';
import { conditionalUpdates } from '../conditional-updates.ts';

const names = { '#state': 'state' };
const written = (date: Date) => z.encode(isoDate, date);

/** The Batches port on the table of jobs: `BATCH#<id>` items, in its indexes `open` and `by_org`. */
export function dynamodbBatches(options: TableOptions): Batches {
  const items = conditionalTable(options);
  const find = async (id: string) => {
    const item = await items.get(batchKey(id));
    // Requests of an earlier version were jobs: such a batch is none any more.
    return item && Batch.safeParse(item).data;
  };

  return {
    create: (batch) => items.put(batchItem(batch), 'attribute_not_exists(pk)'),

    advance: (batch, from) =>
      items.put(
        batchItem(batch),
        '#state = :from AND attribute_not_exists(cancelled_at)',
        { ':from': from },
        names,
      ),

    find,

    ...batchChanges(options, find),
    ...batchLists(options),
  };
}

function batchChanges(
  options: TableOptions,
  find: Batches['find'],
): Pick<Batches, 'postpone' | 'cancel' | 'complete'> {
  const update = conditionalUpdates(options);

  return {
    postpone: async ({ id }, dueAt) => {
      await update(batchKey(id), 'SET due_at = :due', {
        condition: '#state = :reading AND attribute_not_exists(cancelled_at)',
        values: { ':reading': 'reading', ':due': written(dueAt) },
        names,
      });
    },

    cancel: async ({ id }, now, dueAt) => {
      const change =
        'SET cancelled_at = if_not_exists(cancelled_at, :now), open_shard = :swept, due_at = :due';
      const isCancelled = await update(batchKey(id), change, {
        condition: '#state = :accepted AND attribute_not_exists(completed_at)',
        values: { ':accepted': 'accepted', ':now': written(now), ':swept': SWEPT, ':due': written(dueAt) },
        names,
      });
      return isCancelled ? find(id) : undefined;
    },

    complete: async (id, now) => {
      const change = 'SET completed_at = if_not_exists(completed_at, :now) REMOVE open_shard, due_at';
      const values = { ':now': written(now) };
      const isThere = await update(batchKey(id), change, { condition: 'attribute_exists(pk)', values });
      return isThere ? find(id) : undefined;
    },
  };
}
