import { z } from 'zod';
import { Job } from '../../contract/job.ts';
import { isoDate } from '../../contract/time.ts';
import type { Jobs } from '../../ports.ts';
import { batchGetAll } from './batch-get.ts';
import { conditionalTable, type TableOptions } from './conditional-table.ts';
import { dynamodbClaims } from './dynamodb-claims.ts';
import { keysOf } from './keys-of.ts';
import { END_OF_TIME, openItems } from './open-items.ts';

/** Partitions of the sparse index of unfinished jobs, so that none runs hot. */
const OPEN_SHARDS = 10;

/**
 * The Jobs port on a DynamoDB table with string key `pk` and the indexes `open` (`open_shard`, `due_at`) and
 * `by_org` (`job_of`, `pk`).
 */
export function dynamodbJobs({ client, table }: TableOptions): Jobs {
  const items = conditionalTable({ client, table });

  return {
    create: (job) => items.put(toItem(job), 'attribute_not_exists(pk)'),

    find: async (id) => {
      const item = await items.get(id);
      return item && Job.parse(item);
    },

    findAll: async (ids) => {
      const found = await batchGetAll({ client, table }, ids);
      return found.map((item) => Job.parse(item));
    },

    replace: (before, after) =>
      items.put(
        toItem(after),
        '#status = :status AND fencing_token = :token',
        { ':status': before.status, ':token': before.fencingToken },
        { '#status': 'status' },
      ),

    remove: ({ id, status, fencingToken }) =>
      items.remove(
        id,
        '#status = :status AND fencing_token = :token',
        { ':status': status, ':token': fencingToken },
        { '#status': 'status' },
      ),

    list: async (orgId, range) => {
      const { keys: ids, next } = await keysOf({ client, table }, orgId, range);
      const found = await batchGetAll({ client, table }, ids);
      // An item of a later version is left out.
      const jobs = found.map((item) => Job.safeParse(item).data).filter((job) => job !== undefined);
      return { jobs: jobs.sort((a, b) => (a.id < b.id ? 1 : -1)), ...(next && { next }) };
    },

    due: async (now, limit) => {
      const shards = Array.from({ length: OPEN_SHARDS }, (_, shard) =>
        dueIn({ client, table }, String(shard), z.encode(isoDate, now), limit),
      );
      const found = (await Promise.all(shards)).flat();
      const jobs = found.filter((job) => typeof job !== 'string').sort((a, b) => dueTime(a) - dueTime(b));
      return { jobs: jobs.slice(0, limit), unreadable: found.filter((job) => typeof job === 'string') };
    },

    waiting: async (orgId, limit, batchId) => {
      const found = await dueIn({ client, table }, backlogOf(orgId, batchId), END_OF_TIME, limit);
      // An item of a later version is left to it.
      return found.filter((job) => typeof job !== 'string');
    },

    ...dynamodbClaims(items),
  };
}

async function dueIn(table: TableOptions, shard: string, until: string, limit: number) {
  const found = await openItems(table, shard, until, limit);
  return found.map((item) => Job.safeParse(item).data ?? String(item['pk']));
}

/**
 * Only a job with work left has a shard and appears in the sparse index. A job with a slot is found by that:
 * without a place in the index, its writes cost half.
 */
function toItem(job: Job) {
  const isListed = job.dueAt !== undefined && job.slot === undefined;
  const shard = isListed ? { open_shard: shardOf(job) } : {};
  // Idempotency keys have an `org_id` too, and are not listed.
  return { pk: job.id, job_of: job.orgId, ...z.encode(Job, job), ...shard };
}

/** A job in a backlog is due at its deadline, so a backlog is sorted by deadlines. */
function shardOf(job: Job): string {
  if ('isWaiting' in job && job.isWaiting) return backlogOf(job.orgId, job.batch?.id);
  // The last characters of a UUIDv7 are random.
  return String(Number.parseInt(job.id.slice(-4), 16) % OPEN_SHARDS);
}

function backlogOf(orgId: string, batchId: string | undefined): string {
  return batchId === undefined ? `BACKLOG#${orgId}` : `BACKLOG#${orgId}#${batchId}`;
}

function dueTime({ dueAt }: Job): number {
  return dueAt?.getTime() ?? 0;
}
