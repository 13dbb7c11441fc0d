import type { Effects } from '../../../ports/effects.ts';
import type { TableOptions } from '../conditional-table.ts';
import { dynamodbBatches } from '../batches/dynamodb-batches.ts';
import { dynamodbChunks } from '../batches/dynamodb-chunks.ts';
import { dynamodbJobs } from './dynamodb-jobs.ts';

/** Jobs, batches and the chunks of uploads, which share a table. */
export function dynamodbJobStore(options: TableOptions): Pick<Effects, 'jobs' | 'batches' | 'chunks'> {
  return { jobs: dynamodbJobs(options), batches: dynamodbBatches(options), chunks: dynamodbChunks(options) };
}
