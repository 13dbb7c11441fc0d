import { z } from 'zod';
import { Job, type OpenJob } from '../../../contract/jobs/job.ts';
import { isoDate } from '../../../contract/time.ts';
import { isFinished } from '../../../domain/jobs/state.ts';
import type { Jobs } from '../../../ports/jobs.ts';
import { type JobTable, openJobTable } from '../job-table.ts';
import { type Condition, IS_NEW, type TableOptions } from '../table.ts';
import { dynamodbClaims } from './dynamodb-claims.ts';

/** Partitions of the sparse index of unfinished jobs, so that none runs hot. */
const OPEN_SHARDS = 10;

/** The Jobs port on the table of jobs: items whose key is the id, in its indexes `open` and `by_org`. */
export function dynamodbJobs(options: TableOptions): Jobs {
  const table = openJobTable(options);

  return {
    create: (job) => table.put(jobItem(job), IS_NEW),

    find: async (id) => {
      const item = await table.get({ pk: id });
      return item && Job.parse(item);
    },

    findAll: async (ids) => (await table.getAll(ids)).map((item) => Job.parse(item)),
    replace: (before, after) => table.put(jobItem(after), stillAs(before)),
    remove: (job) => table.remove({ pk: job.id }, stillAs(job)),
    ...jobLists(table),
    ...dynamodbClaims(table),
  };
}

function stillAs({ status, fencingToken }: Job): Condition {
  return {
    condition: ['#status = :status', 'fencing_token = :token'],
    values: { ':status': status, ':token': fencingToken },
  };
}

/**
 * Only a job with work left has a shard and appears in the sparse index. A job with a slot is found by that:
 * without a place in the index, its writes cost half.
 */
function jobItem(job: Job) {
  const isListed = job.dueAt !== undefined && job.slot === undefined;
  const shard = isListed ? { open_shard: shardOf(job) } : {};
  // Idempotency keys have an `org_id` too, and are not listed.
  return { pk: job.id, job_of: job.orgId, ...z.encode(Job, job), ...shard };
}

/** A job in a backlog is due at its deadline, so a backlog is sorted by deadlines. */
function shardOf(job: Job): string {
  if ('isWaiting' in job && job.isWaiting) return backlogOf(job.orgId);
  // The last characters of a UUIDv7 are random.
  return String(Number.parseInt(job.id.slice(-4), 16) % OPEN_SHARDS);
}

/** The partition of an organization's jobs that wait. */
const backlogOf = (orgId: string) => `BACKLOG#${orgId}`;

/** Jobs by the indexes: of an organization, due, or in a backlog. */
function jobLists(table: JobTable): Pick<Jobs, 'list' | 'due' | 'waiting'> {
  return {
    list: async (orgId, range) => {
      const { keys: ids, next } = await table.keysOf(orgId, range);
      const found = await table.getAll(ids);
      // An item of a later version is left out.
      const jobs = found.map((item) => Job.safeParse(item).data).filter((job) => job !== undefined);
      return { jobs: jobs.sort((a, b) => (a.id < b.id ? 1 : -1)), ...(next && { next }) };
    },

    due: async (now, limit) => {
      const shards = Array.from({ length: OPEN_SHARDS }, (_, shard) => String(shard));
      const until = z.encode(isoDate, now);
      const items = await Promise.all(shards.map((shard) => table.due(shard, until, limit)));
      const found = items.flat().map((item) => Job.safeParse(item).data ?? String(item['pk']));
      const jobs = found.filter((job) => typeof job !== 'string').sort((a, b) => dueTime(a) - dueTime(b));
      return { jobs: jobs.slice(0, limit), unreadable: found.filter((job) => typeof job === 'string') };
    },

    waiting: async (orgId, { limit, after }) => {
      const partition = backlogOf(orgId);
      const range = { after: after && keyOf(partition, after), limit };
      const jobs: OpenJob[] = [];
      // An item of a later version is left to it.
      for await (const item of table.eachDue(partition, range)) {
        const { data: job } = Job.safeParse(item);
        if (job && !isFinished(job)) jobs.push(job);
        if (jobs.length === limit) break;
      }
      return jobs;
    },
  };
}

function keyOf(partition: string, { id, dueAt }: OpenJob) {
  return { pk: id, open_shard: partition, due_at: z.encode(isoDate, dueAt) };
}

function dueTime({ dueAt }: Job): number {
  return dueAt?.getTime() ?? 0;
}
