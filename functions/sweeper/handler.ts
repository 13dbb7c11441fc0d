import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, ScheduledEvent, SQSEvent } from 'aws-lambda';
import { cachedAccounts } from '../../shared/adapters/cached-accounts.ts';
import { documentClient } from '../../shared/adapters/clients.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb-accounts.ts';
import { dynamodbJobs } from '../../shared/adapters/dynamodb-jobs.ts';
import { sqsQueue } from '../../shared/adapters/sqs-queue.ts';
import { emfCount } from '../../shared/adapters/emf-count.ts';
import { readEnv } from '../../shared/config.ts';
import { openLog } from '../../shared/observe/log.ts';
import { described } from '../../shared/observe/redacted.ts';
import { watchCredits } from '../../shared/observe/watch-credits.ts';
import { bury } from './bury.ts';
import { sweep } from './sweep.ts';

/** Left over at the end of a sweep, so that the last page of it is finished. */
const MARGIN_MS = 10_000;

const config = readEnv('sweeper');
const log = openLog('sweeper');
const count = emfCount(config.AWS_LAMBDA_FUNCTION_NAME);
const watch = watchCredits(count, log);
const client = documentClient();
const fx = {
  ...clock,
  count,
  log,
  accounts: cachedAccounts(dynamodbAccounts({ client, table: config.ACCOUNTS_TABLE, watch }), clock.now),
  jobs: dynamodbJobs({ client, table: config.JOBS_TABLE }),
  queue: sqsQueue({ client: new SQSClient(), queueUrl: config.JOBS_QUEUE_URL }),
};

export async function handler(event: ScheduledEvent | SQSEvent, context: Context): Promise<void> {
  if ('Records' in event) {
    log.warn('dead letters', { received: event.Records.length, buried: await bury(fx, event) });
    return;
  }
  const budget = Math.max(0, context.getRemainingTimeInMillis() - MARGIN_MS);
  try {
    log.info('sweep', await sweep(fx, AbortSignal.timeout(budget)));
  } catch (error) {
    log.error('sweep', { fault: described(error) });
    throw error;
  }
}
