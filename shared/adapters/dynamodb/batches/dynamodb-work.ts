import type { Effects } from '../../../ports/effects.ts';
import { dynamodbJobs } from '../jobs/dynamodb-jobs.ts';
import type { TableOptions } from '../table.ts';
import { dynamodbBatches } from './dynamodb-batches.ts';
import { dynamodbChunks } from './dynamodb-chunks.ts';
import { dynamodbCrawls } from './dynamodb-crawls.ts';
import { dynamodbTargetHosts } from './dynamodb-target-hosts.ts';

type Work = Pick<Effects, 'jobs' | 'batches' | 'chunks' | 'crawls' | 'targetHosts'>;

/** The ports of background work, which share the table of jobs. */
export const dynamodbWork = (table: TableOptions): Work => ({
  jobs: dynamodbJobs(table),
  batches: dynamodbBatches(table),
  chunks: dynamodbChunks(table),
  crawls: dynamodbCrawls(table),
  targetHosts: dynamodbTargetHosts(table),
});
