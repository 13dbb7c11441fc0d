import type { Effects } from '../../ports.ts';
import type { TableOptions } from './conditional-table.ts';
import { dynamodbBatches } from './dynamodb-batches.ts';
import { dynamodbJobs } from './dynamodb-jobs.ts';

/** Jobs and batches, which share a table. */
export function dynamodbJobStore(options: TableOptions): Pick<Effects, 'jobs' | 'batches'> {
  return { jobs: dynamodbJobs(options), batches: dynamodbBatches(options) };
}
