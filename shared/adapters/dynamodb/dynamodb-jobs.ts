import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { Job } from '../../contract/job.ts';
import { isoDate } from '../../contract/time.ts';
import type { Jobs } from '../../ports.ts';
import { conditionalTable, type TableOptions } from './conditional-table.ts';
import { dynamodbClaims } from './dynamodb-claims.ts';

/** Partitions of the sparse index of unfinished jobs, so that none runs hot. */
const OPEN_SHARDS = 10;

/** The Jobs port on a DynamoDB table with string key `pk` and index `open` (`open_shard`, `due_at`). */
export function dynamodbJobs({ client, table }: TableOptions): Jobs {
  const items = conditionalTable({ client, table });

  return {
    create: (job) => items.put(toItem(job), 'attribute_not_exists(pk)'),

    find: async (id) => {
      const item = await items.get(id);
      return item && Job.parse(item);
    },

    replace: (before, after) =>
      items.put(
        toItem(after),
        '#status = :status AND fencing_token = :token',
        { ':status': before.status, ':token': before.fencingToken },
        { '#status': 'status' },
      ),

    due: async (now, limit) => {
      const shards = Array.from({ length: OPEN_SHARDS }, (_, shard) =>
        dueIn({ client, table }, shard, now, limit),
      );
      const found = (await Promise.all(shards)).flat();
      const jobs = found.filter((job) => typeof job !== 'string').sort((a, b) => dueTime(a) - dueTime(b));
      return { jobs: jobs.slice(0, limit), unreadable: found.filter((job) => typeof job === 'string') };
    },

    ...dynamodbClaims(items),
  };
}

async function dueIn({ client, table }: TableOptions, shard: number, now: Date, limit: number) {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName: table,
      IndexName: 'open',
      KeyConditionExpression: 'open_shard = :shard AND due_at <= :now',
      ExpressionAttributeValues: { ':shard': String(shard), ':now': z.encode(isoDate, now) },
      Limit: limit,
    }),
  );
  return Items.map((item) => Job.safeParse(item).data ?? String(item['pk']));
}

/** Only a job with work left has a shard and appears in the sparse index. */
function toItem(job: Job) {
  const shard = job.dueAt === undefined ? {} : { open_shard: shardOf(job.id) };
  return { pk: job.id, ...z.encode(Job, job), ...shard };
}

/** The last characters of a UUIDv7 are random. */
function shardOf(id: string): string {
  return String(Number.parseInt(id.slice(-4), 16) % OPEN_SHARDS);
}

function dueTime({ dueAt }: Job): number {
  return dueAt?.getTime() ?? 0;
}
