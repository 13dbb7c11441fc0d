import type { Context, SQSEvent } from 'aws-lambda';
import { documentClient, queueClient } from '../../shared/adapters/clients.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { cachedAccounts } from '../../shared/adapters/dynamodb/accounts/cached-accounts.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb/accounts/dynamodb-accounts.ts';
import { dynamodbReceivers } from '../../shared/adapters/dynamodb/webhooks/dynamodb-receivers.ts';
import { emission } from '../../shared/adapters/emission.ts';
import { instruments } from '../../shared/adapters/instruments.ts';
import { secretsClient, secretsVault } from '../../shared/adapters/secrets-vault.ts';
import { sqsInbox } from '../../shared/adapters/sqs-inbox.ts';
import { guardedPost } from '../../shared/adapters/web/guarded-post.ts';
import { readEnv } from '../../shared/config.ts';
import { consume } from './consume.ts';

const config = readEnv('notifier');
const { log, count, watch } = instruments('notifier', config);
const client = documentClient();
const sqs = queueClient();
const fx = {
  ...clock,
  count,
  accounts: cachedAccounts(dynamodbAccounts({ client, table: config.ACCOUNTS_TABLE, watch }), clock.now),
  ...emission(client, sqs, config),
  receivers: dynamodbReceivers({
    client,
    table: config.WEBHOOKS_TABLE,
    attemptsPerOrganization: config.ATTEMPTS_PER_ORGANIZATION,
  }),
  inbox: sqsInbox({ client: sqs, queueUrl: config.NOTICES_QUEUE_URL }),
  vault: secretsVault(secretsClient(), config.WEBHOOK_KEY_ARN),
  post: guardedPost({ allow: config.EGRESS_ALLOW, refuse: config.API_HOST }),
};

/** The longest attempt, and what is read and written around it. */
const LONGEST_MS = 30_000;

export const handler = (event: SQSEvent, context: Context) =>
  consume(fx, event, {
    log,
    lastStart: new Date(Date.now() + context.getRemainingTimeInMillis() - LONGEST_MS),
  });
