import { z } from 'zod';
import { Batch } from '../../../contract/batches/batch.ts';
import { isoDate } from '../../../contract/time.ts';
import type { Batches } from '../../../ports/batches.ts';
import { END_OF_TIME, type JobTable, openJobTable } from '../job-table.ts';
import { EXISTS, IS_NEW, type Item, type TableOptions, type Write } from '../table.ts';

/** The partition of the index `open` with batches that are the sweeper's. */
const SWEPT = 'BATCHES';
const PREFIX = 'BATCH#';

export const batchKey = (id: string) => ({ pk: PREFIX + id });

/** The partition of an organization's batches, in `by_org` of all and in `open` of batches in progress. */
const batchesOf = (orgId: string) => `BATCHES#${orgId}`;

/** The partition of `open` with batches that wait for their upload. */
const awaitedOf = (orgId: string) => `UPLOADS#${orgId}`;

const written = (date: Date) => z.encode(isoDate, date);

/** The Batches port on the table of jobs: `BATCH#<id>` items, in its indexes `open` and `by_org`. */
export function dynamodbBatches(options: TableOptions): Batches {
  const table = openJobTable(options);
  const find = async (id: string) => {
    const item = await table.get(batchKey(id));
    // Requests of an earlier version were jobs: such a batch is none any more.
    return item && Batch.safeParse(item).data;
  };

  return {
    find,
    create: (batch) => table.put(batchItem(batch), IS_NEW),

    advance: (batch, from) =>
      table.put(batchItem(batch), {
        condition: ['#state = :from', 'attribute_not_exists(cancelled_at)'],
        values: { ':from': from },
      }),

    ...batchChanges(table, find),
    ...batchLists(table),
  };
}

/** Changes that hold only in the states that allow them. */
function batchChanges(
  table: JobTable,
  find: Batches['find'],
): Pick<Batches, 'postpone' | 'cancel' | 'complete'> {
  const change = async (id: string, write: Write) =>
    (await table.update(batchKey(id), write)) ? find(id) : undefined;

  return {
    postpone: async ({ id }, dueAt) => {
      await table.update(batchKey(id), {
        condition: ['#state = :reading', 'attribute_not_exists(cancelled_at)'],
        set: ['due_at = :due'],
        values: { ':reading': 'reading', ':due': written(dueAt) },
      });
    },

    cancel: ({ id }, now, dueAt) =>
      change(id, {
        condition: ['#state = :accepted', 'attribute_not_exists(completed_at)'],
        set: ['cancelled_at = if_not_exists(cancelled_at, :now)', 'open_shard = :swept', 'due_at = :due'],
        values: { ':accepted': 'accepted', ':now': written(now), ':swept': SWEPT, ':due': written(dueAt) },
      }),

    complete: (id, now) =>
      change(id, {
        ...EXISTS,
        set: ['completed_at = if_not_exists(completed_at, :now)'],
        remove: ['open_shard', 'due_at'],
        values: { ':now': written(now) },
      }),
  };
}

/** Waves of crawls are in no list of batches. */
const wavesOf = (orgId: string) => `WAVES#${orgId}`;

/** Only a batch with a time at which it is due is in the index `open`. */
function batchItem(batch: Batch) {
  const { id, orgId, crawlId, state, completedAt, dueAt } = batch;
  const partitions = { accepted: batchesOf(orgId), waiting_for_upload: awaitedOf(orgId) };
  const partition =
    state in partitions && !completedAt ? partitions[state as keyof typeof partitions] : SWEPT;
  return {
    ...batchKey(id),
    job_of: crawlId === undefined ? batchesOf(orgId) : wavesOf(orgId),
    ...z.encode(Batch, batch),
    ...(dueAt && { open_shard: partition }),
  };
}

/** Without batches of an earlier version, whose requests were jobs. */
function readable(items: readonly Item[]): Batch[] {
  return items.flatMap((item) => Batch.safeParse(item).data ?? []);
}

/** Batches by the indexes: of an organization, or due. */
function batchLists(table: JobTable): Pick<Batches, 'list' | 'open' | 'awaited' | 'due'> {
  return {
    list: async (orgId, { before, limit }) => {
      const range = { before: before && PREFIX + before, limit };
      const { keys, next } = await table.keysOf(batchesOf(orgId), range);
      const batches = readable(await table.getAll(keys)).sort((a, b) => (a.id < b.id ? 1 : -1));
      return { batches, ...(next && { next: next.slice(PREFIX.length) }) };
    },

    open: async (orgId, limit) => readable(await table.due(batchesOf(orgId), END_OF_TIME, limit)),

    awaited: async (orgId, now, limit) => {
      const batches: Batch[] = [];
      for await (const item of table.eachDue(awaitedOf(orgId), { from: written(now), limit })) {
        batches.push(...readable([item]));
        if (batches.length >= limit) break;
      }
      return batches;
    },

    due: async (now, limit) => readable(await table.due(SWEPT, written(now), limit)),
  };
}
