import { readEnv } from '../config.ts';
import { documentClient, queueClient, resultsClient, uploadsClient } from './clients.ts';
import { clock } from './clock.ts';
import { cachedAccounts } from './dynamodb/accounts/cached-accounts.ts';
import { dynamodbAccounts } from './dynamodb/accounts/dynamodb-accounts.ts';
import { dynamodbActivity } from './dynamodb/accounts/dynamodb-activity.ts';
import { dynamodbJobStore } from './dynamodb/jobs/dynamodb-job-store.ts';
import { emission } from './emission.ts';
import { instruments } from './instruments.ts';
import { s3Results } from './s3-results.ts';
import { s3Uploads } from './s3-uploads.ts';
import { sqsQueue } from './sqs-queue.ts';

/** What a function that accepts jobs and returns their results works with. */
export function submission(name: 'jobs' | 'batches') {
  const config = readEnv(name);
  const { log, count, watch } = instruments(name, config);
  const [client, queue] = [documentClient(), queueClient()];
  const activity = dynamodbActivity({ client, table: config.ACTIVITY_TABLE });
  const { endOf } = activity;
  const accounts = dynamodbAccounts({ client, table: config.ACCOUNTS_TABLE, watch, endOf });
  const fx = {
    ...clock,
    apiUrl: config.API_URL,
    count,
    activity,
    accounts: cachedAccounts(accounts, clock.now),
    ...dynamodbJobStore({ client, table: config.JOBS_TABLE }),
    ...emission(client, queue, config),
    queue: sqsQueue({ client: queue, queueUrl: config.JOBS_QUEUE_URL }),
    results: s3Results({ client: resultsClient(), bucket: config.RESULTS_BUCKET }),
    uploads: s3Uploads({ client: uploadsClient(), bucket: config.RESULTS_BUCKET }),
  };
  const policy = {
    allow: config.EGRESS_ALLOW,
    refuse: config.API_HOST,
    hasPremiumProxy: config.PREMIUM_PROXY_SECRET_ARN !== undefined,
  };
  return { fx, log, policy };
}
