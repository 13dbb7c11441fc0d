import { Job } from '../../../contract/jobs/job.ts';
import type { Jobs } from '../../../ports/jobs.ts';
import { batchGetAll } from '../batch-get.ts';
import { conditionalTable, type TableOptions } from '../conditional-table.ts';
import { dynamodbClaims } from './dynamodb-claims.ts';
import { jobItem } from './job-item.ts';
import { jobLists } from './job-lists.ts';

const UNCHANGED = '#status = :status AND fencing_token = :token';
const names = { '#status': 'status' };

/**
 * The Jobs port on a DynamoDB table with string key `pk` and the indexes `open` (`open_shard`, `due_at`) and
 * `by_org` (`job_of`, `pk`).
 */
export function dynamodbJobs(options: TableOptions): Jobs {
  const items = conditionalTable(options);

  return {
    create: (job) => items.put(jobItem(job), 'attribute_not_exists(pk)'),

    find: async (id) => {
      const item = await items.get(id);
      return item && Job.parse(item);
    },

    findAll: async (ids) => {
      const found = await batchGetAll(options, ids);
      return found.map((item) => Job.parse(item));
    },

    replace: (before, after) => items.put(jobItem(after), UNCHANGED, asIn(before), names),

    remove: (job) => items.remove(job.id, UNCHANGED, asIn(job), names),

    ...jobLists(options),
    ...dynamodbClaims(items),
  };
}

function asIn({ status, fencingToken }: Job) {
  return { ':status': status, ':token': fencingToken };
}
