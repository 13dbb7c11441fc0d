import { documentClient, queueClient } from '../../shared/adapters/clients.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { cachedAccounts } from '../../shared/adapters/dynamodb/accounts/cached-accounts.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb/accounts/dynamodb-accounts.ts';
import { dynamodbActivity } from '../../shared/adapters/dynamodb/accounts/dynamodb-activity.ts';
import { emission } from '../../shared/adapters/emission.ts';
import { instruments } from '../../shared/adapters/instruments.ts';
import { secretsClient, secretsVault } from '../../shared/adapters/secrets-vault.ts';
import { readEnv } from '../../shared/config.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { webhookOperations } from './operations.ts';

const config = readEnv('webhooks');
const { log, watch } = instruments('webhooks', config);
const client = documentClient();
const { endOf } = dynamodbActivity({ client, table: config.ACTIVITY_TABLE });
const accounts = dynamodbAccounts({ client, table: config.ACCOUNTS_TABLE, watch, endOf });
const fx = {
  ...clock,
  apiUrl: config.API_URL,
  accounts: cachedAccounts(accounts, clock.now),
  ...emission(client, queueClient(), config),
  vault: secretsVault(secretsClient(), config.WEBHOOK_KEY_ARN),
};
const operations = webhookOperations(fx, { allow: config.EGRESS_ALLOW, refuse: config.API_HOST });

export const handler = httpFunction(fx, log, operations, 'streaming');
export const buffered = httpFunction(fx, log, operations, 'buffered');
