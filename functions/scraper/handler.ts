import { LambdaClient } from '@aws-sdk/client-lambda';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { cachedAccounts } from '../../shared/adapters/cached-accounts.ts';
import { documentClient } from '../../shared/adapters/clients.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb-accounts.ts';
import { impitFetcher } from '../../shared/adapters/impit-fetcher.ts';
import { lambdaRenderer } from '../../shared/adapters/lambda-renderer.ts';
import { secretsPremiumProxy } from '../../shared/adapters/secrets-premium-proxy.ts';
import { emfCount } from '../../shared/adapters/emf-count.ts';
import { readEnv } from '../../shared/config.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { openLog } from '../../shared/observe/log.ts';
import { watchCredits } from '../../shared/observe/watch-credits.ts';
import { scraperOperations } from './operations.ts';

const config = readEnv('scraper');
const log = openLog('scraper');
const count = emfCount(config.AWS_LAMBDA_FUNCTION_NAME);
const watch = watchCredits(count, log);
const accounts = dynamodbAccounts({ client: documentClient(), table: config.ACCOUNTS_TABLE, watch });
const egress = { allow: config.EGRESS_ALLOW, refuse: config.API_HOST };
const premiumProxy = secretsPremiumProxy({
  client: new SecretsManagerClient(),
  secretArn: config.PREMIUM_PROXY_SECRET_ARN,
  now: clock.now,
});
const fx = {
  ...clock,
  count,
  accounts: cachedAccounts(accounts, clock.now),
  fetchPage: impitFetcher(egress, premiumProxy),
  renderPage: lambdaRenderer({
    client: new LambdaClient(),
    functionName: config.BROWSER_FUNCTION,
    tenancy: config.BROWSER_TENANCY,
    premiumProxy,
  }),
};
const operations = scraperOperations(fx, {
  ...egress,
  hasPremiumProxy: config.PREMIUM_PROXY_SECRET_ARN !== undefined,
});

export const handler = httpFunction(fx, log, operations, 'streaming');
export const buffered = httpFunction(fx, log, operations, 'buffered');
