import type { Context, SQSEvent } from 'aws-lambda';
import { cachedAccounts } from '../../shared/adapters/dynamodb/accounts/cached-accounts.ts';
import { documentClient, queueClient, resultsClient, uploadsClient } from '../../shared/adapters/clients.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb/accounts/dynamodb-accounts.ts';
import { dynamodbActivity } from '../../shared/adapters/dynamodb/accounts/dynamodb-activity.ts';
import { dynamodbJobStore } from '../../shared/adapters/dynamodb/jobs/dynamodb-job-store.ts';
import { emission } from '../../shared/adapters/emission.ts';
import { instruments } from '../../shared/adapters/instruments.ts';
import { s3Results } from '../../shared/adapters/s3-results.ts';
import { s3Uploads } from '../../shared/adapters/s3-uploads.ts';
import { sqsInbox } from '../../shared/adapters/sqs-inbox.ts';
import { sqsPostpone } from '../../shared/adapters/sqs-postpone.ts';
import { sqsQueue } from '../../shared/adapters/sqs-queue.ts';
import { threadConverter } from '../../shared/adapters/thread-converter.ts';
import { webPages } from '../../shared/adapters/web/web-pages.ts';
import { AUTHORITIES, CONVERTER, readEnv, trustAuthorities } from '../../shared/config.ts';
import { consume } from './consume.ts';
import { timesOf } from './times-of.ts';

trustAuthorities(new URL(AUTHORITIES, import.meta.url));
const config = readEnv('worker');
const { log, count, watch } = instruments('worker', config);
const client = documentClient();
const { ACCOUNTS_TABLE: table, ACTIVITY_TABLE: activityTable } = config;
const activity = dynamodbActivity({ client, table: activityTable });
const egress = { allow: config.EGRESS_ALLOW, refuse: config.API_HOST };
const sqs = queueClient();
const fx = {
  ...clock,
  apiUrl: config.API_URL,
  count,
  queue: sqsQueue({ client: sqs, queueUrl: config.JOBS_QUEUE_URL }),
  inbox: sqsInbox({ client: sqs, queueUrl: config.JOBS_QUEUE_URL }),
  accounts: cachedAccounts(dynamodbAccounts({ client, table, watch, endOf: activity.endOf }), clock.now),
  activity,
  ...dynamodbJobStore({ client, table: config.JOBS_TABLE }),
  ...emission(client, sqs, config),
  results: s3Results({ client: resultsClient(), bucket: config.RESULTS_BUCKET }),
  ...webPages(config, egress),
  uploads: s3Uploads({ client: uploadsClient(), bucket: config.RESULTS_BUCKET }),
  convert: threadConverter({ script: new URL(CONVERTER, import.meta.url) }),
};
const policy = { ...egress, hasPremiumProxy: config.PREMIUM_PROXY_SECRET_ARN !== undefined };

const postpone = sqsPostpone({ client: sqs, queueUrl: config.JOBS_QUEUE_URL });

export const handler = (event: SQSEvent, context: Context) =>
  consume(fx, event, { log, postpone, policy, ...timesOf(context) });
