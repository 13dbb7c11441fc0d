import { z } from 'zod';
import { isoDate } from '../../../contract/time.ts';
import type { Batches } from '../../../ports/batches.ts';
import { batchKey, SWEPT } from './batch-item.ts';
import type { TableOptions } from '../conditional-table.ts';
import { conditionalUpdates } from '../conditional-updates.ts';

/** Notes once when batches were cancelled or completed, and returns their new state. */
export function batchEnds(
  options: TableOptions,
  find: Batches['find'],
): Pick<Batches, 'cancel' | 'complete'> {
  const update = conditionalUpdates(options);

  return {
    cancel: async ({ id }, now, dueAt) => {
      const change =
        'SET cancelled_at = if_not_exists(cancelled_at, :now), open_shard = :swept, due_at = :due';
      const isCancelled = await update(batchKey(id), change, {
        condition: '#state = :accepted AND attribute_not_exists(completed_at)',
        values: {
          ':accepted': 'accepted',
          ':now': z.encode(isoDate, now),
          ':swept': SWEPT,
          ':due': z.encode(isoDate, dueAt),
        },
        names: { '#state': 'state' },
      });
      return isCancelled ? find(id) : undefined;
    },

    complete: async (id, now) => {
      const change = 'SET completed_at = if_not_exists(completed_at, :now) REMOVE open_shard, due_at';
      const values = { ':now': z.encode(isoDate, now) };
      const isThere = await update(batchKey(id), change, { condition: 'attribute_exists(pk)', values });
      return isThere ? find(id) : undefined;
    },
  };
}
