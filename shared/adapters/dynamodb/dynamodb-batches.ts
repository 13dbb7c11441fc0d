import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { Batch } from '../../contract/batch.ts';
import { epochSeconds, isoDate } from '../../contract/time.ts';
import type { Batches } from '../../batch-ports.ts';
import { batchGetAll } from './batch-get.ts';
import { countsOfBatches } from './batch-counts.ts';
import { conditionalTable, type TableOptions, wasDone } from './conditional-table.ts';
import { keysOf } from './keys-of.ts';
import { END_OF_TIME, openItems } from './open-items.ts';

/** The partition of the index `open` with batches that are the sweeper's. */
const SWEPT = 'BATCHES';
const openOf = (orgId: string) => `BATCHES#${orgId}`;
const PREFIX = 'BATCH#';
const keyOf = (id: string) => PREFIX + id;

/** The Batches port on the table of jobs: `BATCH#<id>` items, in its indexes `open` and `by_org`. */
export function dynamodbBatches({ client, table }: TableOptions): Batches {
  const items = conditionalTable({ client, table });
  const update = async (id: string, change: Omit<Change, 'TableName' | 'Key'>) =>
    client.send(new UpdateCommand({ TableName: table, Key: { pk: keyOf(id) }, ...change }));
  const inPartition = async (partition: string, until: string, limit: number) => {
    const found = await openItems({ client, table }, partition, until, limit);
    return found.map((item) => Batch.parse(item));
  };

  return {
    create: (batch) => items.put(toItem(batch), 'attribute_not_exists(pk)'),

    advance: (batch, from) =>
      items.put(
        toItem(batch),
        '#state = :from AND attribute_not_exists(cancelled_at)',
        { ':from': from },
        { '#state': 'state' },
      ),

    find: async (id) => {
      const item = await items.get(keyOf(id));
      return item && Batch.parse(item);
    },

    accept: ({ id, orgId, deadlineAt }) =>
      wasDone(
        update(id, {
          UpdateExpression: 'SET #state = :accepted, open_shard = :open, due_at = :deadline',
          ConditionExpression: '#state = :preparing',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: {
            ':accepted': 'accepted',
            ':preparing': 'preparing',
            ':open': openOf(orgId),
            ':deadline': z.encode(isoDate, deadlineAt),
          },
        }),
      ),

    postpone: async ({ id }, dueAt) => {
      await wasDone(
        update(id, {
          UpdateExpression: 'SET due_at = :due',
          ConditionExpression: '#state = :reading AND attribute_not_exists(cancelled_at)',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: { ':reading': 'reading', ':due': z.encode(isoDate, dueAt) },
        }),
      );
    },

    abandon: ({ id }, dueAt) =>
      wasDone(
        update(id, {
          UpdateExpression: 'SET #state = :abandoned, due_at = :due',
          ConditionExpression: '#state IN (:preparing, :abandoned)',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: {
            ':abandoned': 'abandoned',
            ':preparing': 'preparing',
            ':due': z.encode(isoDate, dueAt),
          },
        }),
      ),

    discard: async ({ id }) => {
      const names = { '#state': 'state' };
      await items.remove(keyOf(id), '#state = :abandoned', { ':abandoned': 'abandoned' }, names);
    },

    list: async (orgId, { before, limit }) => {
      const range = { before: before && keyOf(before), limit };
      const { keys, next } = await keysOf({ client, table }, openOf(orgId), range);
      const found = await batchGetAll({ client, table }, keys);
      const batches = found.map((item) => Batch.parse(item)).sort((a, b) => (a.id < b.id ? 1 : -1));
      return { batches, ...(next && { next: next.slice(PREFIX.length) }) };
    },

    open: (orgId, limit) => inPartition(openOf(orgId), END_OF_TIME, limit),

    due: (now, limit) => inPartition(SWEPT, z.encode(isoDate, now), limit),

    cancel: async ({ id }, now, dueAt) => {
      const isCancelled = await wasDone(
        update(id, {
          UpdateExpression:
            'SET cancelled_at = if_not_exists(cancelled_at, :now), open_shard = :swept, due_at = :due',
          ConditionExpression: '#state = :accepted AND attribute_not_exists(completed_at)',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: {
            ':accepted': 'accepted',
            ':now': z.encode(isoDate, now),
            ':swept': SWEPT,
            ':due': z.encode(isoDate, dueAt),
          },
        }),
      );
      const item = isCancelled ? await items.get(keyOf(id)) : undefined;
      return item && Batch.parse(item);
    },

    complete: async (id, now) => {
      const isThere = await wasDone(
        update(id, {
          UpdateExpression: 'SET completed_at = if_not_exists(completed_at, :now) REMOVE open_shard, due_at',
          ConditionExpression: 'attribute_exists(pk)',
          ExpressionAttributeValues: { ':now': z.encode(isoDate, now) },
        }),
      );
      const item = isThere ? await items.get(keyOf(id)) : undefined;
      return item && Batch.parse(item);
    },

    ...countsOfBatches({ client, table }, keyOf, (time) => z.encode(epochSeconds, time)),
  };
}

/** Only a batch with a time at which it is due is in the index `open`. */
function toItem(batch: Batch) {
  const { id, orgId, state, completedAt, dueAt } = batch;
  const partition = state === 'accepted' && !completedAt ? openOf(orgId) : SWEPT;
  return {
    pk: keyOf(id),
    job_of: openOf(orgId),
    ...z.encode(Batch, batch),
    ...(dueAt && { open_shard: partition }),
  };
}

type Change = ConstructorParameters<typeof UpdateCommand>[0];
