import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { cachedAccounts } from '../../shared/adapters/cached-accounts.ts';
import { documentClient } from '../../shared/adapters/clients.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb-accounts.ts';
import { dynamodbJobs } from '../../shared/adapters/dynamodb-jobs.ts';
import { impitFetcher } from '../../shared/adapters/impit-fetcher.ts';
import { lambdaRenderer } from '../../shared/adapters/lambda-renderer.ts';
import { s3Results } from '../../shared/adapters/s3-results.ts';
import { secretsPremiumProxy } from '../../shared/adapters/secrets-premium-proxy.ts';
import { emfCount } from '../../shared/adapters/emf-count.ts';
import { readEnv } from '../../shared/config.ts';
import { openLog } from '../../shared/observe/log.ts';
import { watchCredits } from '../../shared/observe/watch-credits.ts';
import { consume, type Postpone } from './consume.ts';

/** Time to store a page, or to give a job back. */
const MARGIN_MS = 15_000;

const config = readEnv('worker');
const log = openLog('worker');
const count = emfCount(config.AWS_LAMBDA_FUNCTION_NAME);
const watch = watchCredits(count, log);
const client = documentClient();
const sqs = new SQSClient();
const egress = { allow: config.EGRESS_ALLOW, refuse: config.API_HOST };
const premiumProxy = secretsPremiumProxy({
  client: new SecretsManagerClient(),
  secretArn: config.PREMIUM_PROXY_SECRET_ARN,
  now: clock.now,
});
const fx = {
  ...clock,
  count,
  accounts: cachedAccounts(dynamodbAccounts({ client, table: config.ACCOUNTS_TABLE, watch }), clock.now),
  jobs: dynamodbJobs({ client, table: config.JOBS_TABLE }),
  results: s3Results({ client: new S3Client(), bucket: config.RESULTS_BUCKET }),
  fetchPage: impitFetcher(egress, premiumProxy),
  renderPage: lambdaRenderer({
    client: new LambdaClient(),
    functionName: config.BROWSER_FUNCTION,
    tenancy: config.BROWSER_TENANCY,
    premiumProxy,
  }),
};

const postpone: Postpone = async ({ receiptHandle: ReceiptHandle }, VisibilityTimeout) => {
  const QueueUrl = config.JOBS_QUEUE_URL;
  await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
};

export const handler = (event: SQSEvent, context: Context) => {
  const signal = AbortSignal.timeout(Math.max(0, context.getRemainingTimeInMillis() - MARGIN_MS));
  return consume(fx, event, { log, postpone, signal });
};
