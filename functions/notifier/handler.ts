import type { SQSEvent } from 'aws-lambda';
import { documentClient, queueClient } from '../../shared/adapters/clients.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { cachedAccounts } from '../../shared/adapters/dynamodb/cached-accounts.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb/dynamodb-accounts.ts';
import { dynamodbReceivers } from '../../shared/adapters/dynamodb/dynamodb-receivers.ts';
import { emission } from '../../shared/adapters/emission.ts';
import { instruments } from '../../shared/adapters/instruments.ts';
import { secretsClient, secretsVault } from '../../shared/adapters/secrets-vault.ts';
import { guardedPost } from '../../shared/adapters/web/guarded-post.ts';
import { readEnv } from '../../shared/config.ts';
import { consume } from './consume.ts';

const config = readEnv('notifier');
const { log, count, watch } = instruments('notifier', config);
const client = documentClient();
const fx = {
  ...clock,
  count,
  accounts: cachedAccounts(dynamodbAccounts({ client, table: config.ACCOUNTS_TABLE, watch }), clock.now),
  ...emission(client, queueClient(), config),
  receivers: dynamodbReceivers({ client, table: config.WEBHOOKS_TABLE }),
  vault: secretsVault(secretsClient(), config.WEBHOOK_KEY_ARN),
  post: guardedPost({ allow: config.EGRESS_ALLOW, refuse: config.API_HOST }),
};

export const handler = (event: SQSEvent) => consume(fx, event, log);
