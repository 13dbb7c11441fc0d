import { z } from 'zod';
import { Chunk } from '../../../contract/batches/chunk.ts';
import { isoDate } from '../../../contract/time.ts';
import type { Chunks } from '../../../ports/batches.ts';
import { batchGetAll } from '../batch-get.ts';
import { chunkCounts } from './chunk-counts.ts';
import { conditionalTable, type TableOptions } from '../conditional-table.ts';
import { END_OF_TIME, openItems } from '../open-items.ts';

/** Partitions of the index `open`: chunks in hand are the sweeper's, the others their batch's. */
const SWEPT = 'CHUNKS';
const waitingOf = (orgId: string, batchId: string) => `CHUNKS#${orgId}#${batchId}`;
const keyOf = (id: string) => `CHUNK#${id}`;

/** The Chunks port on the table of jobs: `CHUNK#<id>` items, in its index `open`. */
export function dynamodbChunks({ client, table }: TableOptions): Chunks {
  const items = conditionalTable({ client, table });
  const inPartition = async (partition: string, until: string, limit: number) => {
    const found = await openItems({ client, table }, partition, until, limit);
    return found.map((item) => Chunk.parse(item));
  };

  return {
    create: (chunk) => items.put(toItem(chunk), 'attribute_not_exists(pk)'),

    find: async (id) => {
      const item = await items.get(keyOf(id));
      return item && Chunk.parse(item);
    },

    findAll: async (ids) => {
      const found = await batchGetAll({ client, table }, ids.map(keyOf));
      return found.map((item) => Chunk.parse(item));
    },

    replace: ({ status, fencingToken, version }, after) =>
      items.put(
        toItem(after),
        '#status = :status AND fencing_token = :token AND version = :version',
        { ':status': status, ':token': fencingToken, ':version': version },
        { '#status': 'status' },
      ),

    waiting: ({ id, orgId }, limit) => inPartition(waitingOf(orgId, id), END_OF_TIME, limit),

    due: (now, limit) => inPartition(SWEPT, z.encode(isoDate, now), limit),

    ...chunkCounts({ client, table }),
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
