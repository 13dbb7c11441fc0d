import type { Context, ScheduledEvent, SQSEvent } from 'aws-lambda';
import { cachedAccounts } from '../../shared/adapters/dynamodb/accounts/cached-accounts.ts';
import { documentClient, queueClient } from '../../shared/adapters/clients.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb/accounts/dynamodb-accounts.ts';
import { dynamodbActivity } from '../../shared/adapters/dynamodb/accounts/dynamodb-activity.ts';
import { dynamodbJobStore } from '../../shared/adapters/dynamodb/jobs/dynamodb-job-store.ts';
import { emission } from '../../shared/adapters/emission.ts';
import { instruments } from '../../shared/adapters/instruments.ts';
import { sqsQueue } from '../../shared/adapters/sqs-queue.ts';
import { readEnv } from '../../shared/config.ts';
import { bury } from './bury.ts';
import { countChromiumAge } from './count-chromium-age.ts';
import { sweepAll } from './sweep-all.ts';

/** Time to finish the last page of a sweep. */
const MARGIN_MS = 10_000;

const config = readEnv('sweeper');
const { log, count, watch } = instruments('sweeper', config);
const client = documentClient();
const fx = {
  ...clock,
  apiUrl: config.API_URL,
  count,
  log,
  accounts: cachedAccounts(dynamodbAccounts({ client, table: config.ACCOUNTS_TABLE, watch }), clock.now),
  activity: dynamodbActivity({ client, table: config.ACTIVITY_TABLE }),
  ...dynamodbJobStore({ client, table: config.JOBS_TABLE }),
  ...emission(client, queueClient(), config),
  queue: sqsQueue({ client: queueClient(), queueUrl: config.JOBS_QUEUE_URL }),
};

export async function handler(event: ScheduledEvent | SQSEvent, context: Context): Promise<void> {
  const budget = Math.max(0, context.getRemainingTimeInMillis() - MARGIN_MS);
  if ('Records' in event) {
    await bury(fx, event);
    return;
  }
  countChromiumAge(fx, config.CHROMIUM_RELEASED);
  await sweepAll(fx, AbortSignal.timeout(budget));
}
