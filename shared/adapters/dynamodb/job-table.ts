import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { busy } from '../../errors.ts';
import { type Item, openTable, type Table, type TableOptions } from './table.ts';

/** Sorts after every time. */
export const END_OF_TIME = '~';
const START_OF_TIME = '0';

/** DynamoDB returns at most 16 MB at once, and leaves out throttled keys. */
const MAX_ROUNDS = 10;

/** DynamoDB's maximum of one BatchGetItem. */
const BATCH_SIZE = 100;

type Times = {
  /** In ISO 8601. */
  from?: string | undefined;
  after?: Item | undefined;
  /** Items that are likely to be needed. DynamoDB returns 1 MB at once, however many. */
  limit: number;
};

type Range = { after?: string | undefined; before?: string | undefined; limit: number };

/**
 * The table of jobs, batches and chunks, with string key `pk` and the indexes `open` (`open_shard`, `due_at`)
 * and `by_org` (`job_of`, `pk`).
 */
export function openJobTable(options: TableOptions) {
  const table = openTable(options);

  return {
    ...table,

    /** The existing items of any number of keys, in any order. Throws `busy` if keys stay throttled. */
    getAll: async (keys: readonly string[]): Promise<Item[]> => {
      const starts = Array.from({ length: Math.ceil(keys.length / BATCH_SIZE) }, (_, n) => n * BATCH_SIZE);
      const portions = starts.map((start) => keys.slice(start, start + BATCH_SIZE));
      return (await Promise.all(portions.map((portion) => getBatch(options, portion)))).flat();
    },

    /** Items of a partition of the sparse index `open` that are due by a time, the earliest first. */
    due: async (partition: string, until: string, limit: number): Promise<Item[]> =>
      (await table.query({ ...openIn(partition, START_OF_TIME, until), limit })).items,

    /** All items of a partition that are due from a time on, after the item with that key. */
    eachDue: (partition: string, { from = START_OF_TIME, after, limit }: Times) =>
      table.each({ ...openIn(partition, from, END_OF_TIME), after, limit }),

    keysOf: (owner: string, range: Range) => keysOf(table, owner, range),
  };
}

export type JobTable = ReturnType<typeof openJobTable>;

const openIn = (partition: string, from: string, until: string) => ({
  index: 'open',
  where: 'open_shard = :partition AND due_at BETWEEN :from AND :until',
  values: { ':partition': partition, ':from': from, ':until': until },
});

/**
 * Keys of the items of one owner, the last first. `next` is the last key that was read, absent at the end.
 * The index holds keys alone, so that it is written only when an item is created or deleted.
 */
async function keysOf(table: Table, owner: string, { after, before, limit }: Range) {
  // DynamoDB refuses to start outside the range.
  if (after !== undefined && before !== undefined && before <= after) return { keys: [] };
  const { items, last } = await table.query({
    index: 'by_org',
    where: `job_of = :owner${after === undefined ? '' : ' AND pk > :after'}`,
    values: { ':owner': owner, ...(after !== undefined && { ':after': after }) },
    after: before === undefined ? undefined : { job_of: owner, pk: before },
    isNewestFirst: true,
    limit,
  });
  const keys = items.map(({ pk }) => String(pk));
  return { keys, next: last && keys.at(-1) };
}

async function getBatch({ client, table }: TableOptions, keys: readonly string[]): Promise<Item[]> {
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
