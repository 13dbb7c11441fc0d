import { z } from 'zod';
import { Chunk } from '../../../contract/batches/chunk.ts';
import { epochSeconds, isoDate } from '../../../contract/time.ts';
import { linesLeft } from '../../../domain/batches/chunk-state.ts';
import type { Chunks } from '../../../ports/batches.ts';
import { END_OF_TIME, type JobTable, openJobTable } from '../job-table.ts';
import { EXISTS, IS_NEW, type TableOptions } from '../table.ts';
import { chunkEntry, progressIn } from './chunk-entry.ts';
import { batchKey } from './dynamodb-batches.ts';

/** Partitions of the index `open`: chunks in hand are the sweeper's, the others their batch's. */
const SWEPT = 'CHUNKS';
const waitingOf = (orgId: string, batchId: string) => `CHUNKS#${orgId}#${batchId}`;
const keyOf = (id: string) => `CHUNK#${id}`;

/** The Chunks port on the table of jobs: `CHUNK#<id>` items, in its index `open`. */
export function dynamodbChunks(options: TableOptions): Chunks {
  const table = openJobTable(options);
  const inPartition = async (partition: string, until: string, limit: number) =>
    (await table.due(partition, until, limit)).map((item) => Chunk.parse(item));

  return {
    create: (chunk) => table.put(toItem(chunk), IS_NEW),

    find: async (id) => {
      const item = await table.get({ pk: keyOf(id) });
      return item && Chunk.parse(item);
    },

    findAll: async (ids) => (await table.getAll(ids.map(keyOf))).map((item) => Chunk.parse(item)),

    replace: ({ status, fencingToken, version }, after) =>
      table.put(toItem(after), {
        condition: ['#status = :status', 'fencing_token = :token', 'version = :version'],
        values: { ':status': status, ':token': fencingToken, ':version': version },
      }),

    waiting: ({ id, orgId }, limit) => inPartition(waitingOf(orgId, id), END_OF_TIME, limit),
    due: (now, limit) => inPartition(SWEPT, z.encode(isoDate, now), limit),
    ...chunkCounts(table),
  };
}

function toItem(chunk: Chunk) {
  const { id, orgId, batchId, status } = chunk;
  const partition = {
    waiting: waitingOf(orgId, batchId),
    running: SWEPT,
    settling: SWEPT,
    closed: undefined,
  };
  return { pk: keyOf(id), open_shard: partition[status], ...z.encode(Chunk, chunk) };
}

/** How many chunks an item counts. A count writes its whole item, which stays under 1 KB. */
const COUNTED = 20;

const Numbers = z.set(z.number()).or(z.array(z.number()).transform((all) => new Set(all)));

const countKey = (batchId: string, item: number) => `${batchKey(batchId).pk}#u${item}`;
const itemsFor = (chunks: number) => Math.ceil(chunks / COUNTED);

/** The keys of the items that count so many chunks of a batch. Items without an end do not exist. */
export function countKeys(batchId: string, chunks: number): string[] {
  return Array.from({ length: itemsFor(chunks) }, (_, item) => countKey(batchId, item));
}

/** How far the chunks of batches are: lists of numbers by index, twenty to an item. */
function chunkCounts(table: JobTable): Pick<Chunks, 'count' | 'progress'> {
  return {
    count: async (chunk, chunks) => {
      const { batchId, index, version, expiresAt } = chunk;
      const item = Math.floor(index / COUNTED);
      const pk = countKey(batchId, item);
      await table.update(
        { pk },
        {
          condition: ['attribute_not_exists(#chunk) OR #chunk[0] < :version'],
          set: ['#chunk = :entry', 'expires_at = :expires'],
          values: {
            ':entry': chunkEntry(chunk),
            ':version': version,
            ':expires': z.encode(epochSeconds, expiresAt),
          },
          names: { '#chunk': `k${index}` },
        },
      );
      if (linesLeft(chunk) > 0) return false;
      // Read afterwards: of two chunks that end together, at least the later one sees both.
      const done = (await table.getAll([pk])).flatMap(progressIn).filter(({ isDone }) => isDone);
      if (done.length < Math.min(COUNTED, chunks - item * COUNTED)) return false;
      return (await fullItems(table, batchId, item)).size === itemsFor(chunks);
    },

    progress: async (batchId, chunks) => (await table.getAll(countKeys(batchId, chunks))).flatMap(progressIn),
  };
}

/** Notes that all chunks that an item counts have ended, and returns the numbers of all such items. */
async function fullItems(table: JobTable, batchId: string, item: number): Promise<Set<number>> {
  const add = { ...EXISTS, add: ['full_parts :item'], values: { ':item': new Set([item]) } };
  const batch = await table.updated(batchKey(batchId), add);
  return Numbers.parse(batch?.['full_parts']);
}
