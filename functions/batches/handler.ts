import { cachedAccounts } from '../../shared/adapters/dynamodb/cached-accounts.ts';
import { documentClient, queueClient, resultsClient } from '../../shared/adapters/clients.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb/dynamodb-accounts.ts';
import { dynamodbActivity } from '../../shared/adapters/dynamodb/dynamodb-activity.ts';
import { dynamodbJobStore } from '../../shared/adapters/dynamodb/dynamodb-job-store.ts';
import { emission } from '../../shared/adapters/emission.ts';
import { instruments } from '../../shared/adapters/instruments.ts';
import { s3Results } from '../../shared/adapters/s3-results.ts';
import { sqsQueue } from '../../shared/adapters/sqs-queue.ts';
import { readEnv } from '../../shared/config.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { batchOperations } from './operations.ts';

const config = readEnv('batches');
const { log, count, watch } = instruments('batches', config);
const client = documentClient();
const { ACCOUNTS_TABLE: table, ACTIVITY_TABLE: activityTable } = config;
const activity = dynamodbActivity({ client, table: activityTable });
const fx = {
  ...clock,
  count,
  activity,
  accounts: cachedAccounts(dynamodbAccounts({ client, table, watch, endOf: activity.endOf }), clock.now),
  ...emission(client, queueClient(), config),
  ...dynamodbJobStore({ client, table: config.JOBS_TABLE }),
  queue: sqsQueue({ client: queueClient(), queueUrl: config.JOBS_QUEUE_URL }),
  results: s3Results({ client: resultsClient(), bucket: config.RESULTS_BUCKET }),
};
const operations = batchOperations(fx, {
  allow: config.EGRESS_ALLOW,
  refuse: config.API_HOST,
  hasPremiumProxy: config.PREMIUM_PROXY_SECRET_ARN !== undefined,
});

export const handler = httpFunction(fx, log, operations, 'streaming');
export const buffered = httpFunction(fx, log, operations, 'buffered');
