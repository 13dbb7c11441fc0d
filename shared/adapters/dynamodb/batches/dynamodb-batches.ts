import { Batch } from '../../../contract/batches/batch.ts';
import type { Batches } from '../../../ports/batches.ts';
import { batchCounts } from './batch-counts.ts';
import { batchEnds } from './batch-ends.ts';
import { batchItem, batchKey } from './batch-item.ts';
import { batchLists } from './batch-lists.ts';
import { conditionalTable, type TableOptions } from '../conditional-table.ts';
import { unacceptedBatches } from './unaccepted-batches.ts';

/** The Batches port on the table of jobs: `BATCH#<id>` items, in its indexes `open` and `by_org`. */
export function dynamodbBatches(options: TableOptions): Batches {
  const items = conditionalTable(options);
  const find = async (id: string) => {
    const item = await items.get(batchKey(id));
    return item && Batch.parse(item);
  };

  return {
    create: (batch) => items.put(batchItem(batch), 'attribute_not_exists(pk)'),

    advance: (batch, from) =>
      items.put(
        batchItem(batch),
        '#state = :from AND attribute_not_exists(cancelled_at)',
        { ':from': from },
        { '#state': 'state' },
      ),

    find,

    ...unacceptedBatches(options),
    ...batchLists(options),
    ...batchEnds(options, find),
    ...batchCounts(options),
  };
}
