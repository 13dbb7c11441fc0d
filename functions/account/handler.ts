import { cachedAccounts } from '../../shared/adapters/dynamodb/accounts/cached-accounts.ts';
import { documentClient } from '../../shared/adapters/clients.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb/accounts/dynamodb-accounts.ts';
import { dynamodbActivity } from '../../shared/adapters/dynamodb/accounts/dynamodb-activity.ts';
import { instruments } from '../../shared/adapters/instruments.ts';
import { readEnv } from '../../shared/config.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { accountOperations } from './operations.ts';

const config = readEnv('account');
const { log, watch } = instruments('account', config);
const client = documentClient();
const activity = dynamodbActivity({ client, table: config.ACTIVITY_TABLE });
const accounts = dynamodbAccounts({ client, table: config.ACCOUNTS_TABLE, watch, endOf: activity.endOf });
const fx = { ...clock, apiUrl: config.API_URL, activity, accounts: cachedAccounts(accounts, clock.now) };
const operations = accountOperations(fx);

export const handler = httpFunction(fx, log, operations, 'streaming');
export const buffered = httpFunction(fx, log, operations, 'buffered');
