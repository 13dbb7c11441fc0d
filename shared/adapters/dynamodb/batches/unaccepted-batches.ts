import { z } from 'zod';
import { isoDate } from '../../../contract/time.ts';
import type { Batches } from '../../../ports/batches.ts';
import { batchesOf, batchKey } from './batch-item.ts';
import { conditionalTable, type TableOptions } from '../conditional-table.ts';
import { conditionalUpdates } from '../conditional-updates.ts';

type UnacceptedBatches = Pick<Batches, 'accept' | 'postpone' | 'abandon' | 'discard'>;

const names = { '#state': 'state' };

/** Accepts batches, or puts them off or away: each write holds only in the states that allow it. */
export function unacceptedBatches(options: TableOptions): UnacceptedBatches {
  const items = conditionalTable(options);
  const update = conditionalUpdates(options);

  return {
    accept: ({ id, orgId, deadlineAt }) =>
      update(batchKey(id), 'SET #state = :accepted, open_shard = :open, due_at = :deadline', {
        condition: '#state = :preparing',
        values: {
          ':accepted': 'accepted',
          ':preparing': 'preparing',
          ':open': batchesOf(orgId),
          ':deadline': z.encode(isoDate, deadlineAt),
        },
        names,
      }),

    postpone: async ({ id }, dueAt) => {
      await update(batchKey(id), 'SET due_at = :due', {
        condition: '#state = :reading AND attribute_not_exists(cancelled_at)',
        values: { ':reading': 'reading', ':due': z.encode(isoDate, dueAt) },
        names,
      });
    },

    abandon: ({ id }, dueAt) =>
      update(batchKey(id), 'SET #state = :abandoned, due_at = :due', {
        condition: '#state IN (:preparing, :abandoned)',
        values: { ':abandoned': 'abandoned', ':preparing': 'preparing', ':due': z.encode(isoDate, dueAt) },
        names,
      }),

    discard: async ({ id }) => {
      await items.remove(batchKey(id), '#state = :abandoned', { ':abandoned': 'abandoned' }, names);
    },
  };
}
