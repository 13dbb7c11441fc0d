import { z } from 'zod';
import { Job, type OpenJob } from '../../../contract/jobs/job.ts';
import { isoDate } from '../../../contract/time.ts';
import { isFinished } from '../../../domain/jobs/state.ts';
import type { Jobs } from '../../../ports/jobs.ts';
import { batchGetAll } from '../batch-get.ts';
import type { TableOptions } from '../conditional-table.ts';
import { backlogOf, OPEN_SHARDS } from './job-item.ts';
import { keysOf } from '../keys-of.ts';
import { allOpenItems, openItems } from '../open-items.ts';

/** Jobs by the indexes: of an organization, due, or in a backlog. */
export function jobLists(options: TableOptions): Pick<Jobs, 'list' | 'due' | 'waiting'> {
  return {
    list: async (orgId, range) => {
      const { keys: ids, next } = await keysOf(options, orgId, range);
      const found = await batchGetAll(options, ids);
      // An item of a later version is left out.
      const jobs = found.map((item) => Job.safeParse(item).data).filter((job) => job !== undefined);
      return { jobs: jobs.sort((a, b) => (a.id < b.id ? 1 : -1)), ...(next && { next }) };
    },

    due: async (now, limit) => {
      const shards = Array.from({ length: OPEN_SHARDS }, (_, shard) =>
        dueIn(options, String(shard), z.encode(isoDate, now), limit),
      );
      const found = (await Promise.all(shards)).flat();
      const jobs = found.filter((job) => typeof job !== 'string').sort((a, b) => dueTime(a) - dueTime(b));
      return { jobs: jobs.slice(0, limit), unreadable: found.filter((job) => typeof job === 'string') };
    },

    waiting: async (orgId, { limit, after }) => {
      const partition = backlogOf(orgId);
      const range = { after: after && keyOf(partition, after), limit };
      const jobs: OpenJob[] = [];
      // An item of a later version is left to it.
      for await (const item of allOpenItems(options, partition, range)) {
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

async function dueIn(table: TableOptions, shard: string, until: string, limit: number) {
  const found = await openItems(table, shard, until, limit);
  return found.map((item) => Job.safeParse(item).data ?? String(item['pk']));
}

function dueTime({ dueAt }: Job): number {
  return dueAt?.getTime() ?? 0;
}
