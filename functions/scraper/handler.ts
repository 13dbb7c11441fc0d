import { cachedAccounts } from '../../shared/adapters/dynamodb/accounts/cached-accounts.ts';
import { documentClient, queueClient } from '../../shared/adapters/clients.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb/accounts/dynamodb-accounts.ts';
import { dynamodbActivity } from '../../shared/adapters/dynamodb/accounts/dynamodb-activity.ts';
import { instruments } from '../../shared/adapters/instruments.ts';
import { sqsNotices } from '../../shared/adapters/sqs-notices.ts';
import { sqsQueue } from '../../shared/adapters/sqs-queue.ts';
import { threadConverter } from '../../shared/adapters/thread-converter.ts';
import { webPages } from '../../shared/adapters/web/web-pages.ts';
import { AUTHORITIES, CONVERTER, readEnv, trustAuthorities } from '../../shared/config.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { scraperOperations } from './operations.ts';

trustAuthorities(new URL(AUTHORITIES, import.meta.url));
const config = readEnv('scraper');
const { log, count, watch } = instruments('scraper', config);
const client = documentClient();
const activity = dynamodbActivity({ client, table: config.ACTIVITY_TABLE });
const accounts = dynamodbAccounts({ client, table: config.ACCOUNTS_TABLE, watch, endOf: activity.endOf });
const egress = { allow: config.EGRESS_ALLOW, refuse: config.API_HOST };
const sqs = queueClient();
const fx = {
  ...clock,
  apiUrl: config.API_URL,
  queue: sqsQueue({ client: sqs, queueUrl: config.JOBS_QUEUE_URL }),
  notices: sqsNotices({ client: sqs, queueUrl: config.NOTICES_QUEUE_URL }),
  count,
  activity,
  accounts: cachedAccounts(accounts, clock.now),
  ...webPages(config, egress),
  convert: threadConverter({ script: new URL(CONVERTER, import.meta.url) }),
  webOrigin: config.DASHBOARD_URL && new URL(config.DASHBOARD_URL).origin,
};
const operations = scraperOperations(fx, {
  ...egress,
  hasPremiumProxy: config.PREMIUM_PROXY_SECRET_ARN !== undefined,
});

export const handler = httpFunction(fx, log, operations, 'streaming');
export const buffered = httpFunction(fx, log, operations, 'buffered');
