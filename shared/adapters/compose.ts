import { LambdaClient } from '@aws-sdk/client-lambda';
import { AUTHORITIES, CONVERTER, type FunctionName, type Settings, trustAuthorities } from '../config.ts';
import type { EgressPolicy } from '../egress/decide.ts';
import type { Log } from '../observe/log.ts';
import type { AccountEffects } from '../ports/accounts.ts';
import type { Effects } from '../ports/effects.ts';
import type { Inbox } from '../ports/jobs.ts';
import type { ScrapeEffects } from '../ports/scrape.ts';
import { documentClient, oncePerProcess, queueClient, resultsClient, uploadsClient } from './clients.ts';
import { clock } from './clock.ts';
import { cognitoClient, cognitoIdentities } from './cognito-identities.ts';
import { cachedAccounts } from './dynamodb/accounts/cached-accounts.ts';
import { dynamodbAccounts } from './dynamodb/accounts/dynamodb-accounts.ts';
import { dynamodbActivity } from './dynamodb/accounts/dynamodb-activity.ts';
import { dynamodbWork } from './dynamodb/batches/dynamodb-work.ts';
import { dynamodbPeople } from './dynamodb/people/dynamodb-people.ts';
import { dynamodbRateLimits } from './dynamodb/people/dynamodb-rate-limits.ts';
import { dynamodbSessions, dynamodbSignUps } from './dynamodb/people/dynamodb-sessions.ts';
import { dynamodbLadderMemory } from './dynamodb/scrape/dynamodb-ladder-memory.ts';
import { dynamodbPageCache } from './dynamodb/scrape/dynamodb-page-cache.ts';
import type { CreditWatch } from './dynamodb/usage/usage-item.ts';
import { dynamodbDeliveries } from './dynamodb/webhooks/dynamodb-deliveries.ts';
import { dynamodbReceivers } from './dynamodb/webhooks/dynamodb-receivers.ts';
import { dynamodbWebhooks } from './dynamodb/webhooks/dynamodb-webhooks.ts';
import { s3Results } from './s3-results.ts';
import { s3Uploads } from './s3-uploads.ts';
import { secretsClient, secretsVault } from './secrets-vault.ts';
import { sqsInbox, sqsNotifierQueue, sqsPostpone, sqsQueue } from './sqs-queues.ts';
import { telemetryOf } from './telemetry.ts';
import { threadConverter } from './thread-converter.ts';
import { chromeFetcher } from './web/chrome-fetcher.ts';
import { guardedPost } from './web/guarded-post.ts';
import { lambdaModel } from './web/lambda-model.ts';
import { lambdaRenderer } from './web/lambda-renderer.ts';
import { submitToApi } from './web/submit-to-api.ts';
import { secretsPremiumProxy } from './web/secrets-premium-proxy.ts';

// Each port is wired here once. A function bundles only the adapters of the ports that its handler names.

type With<Name extends keyof Settings> = Pick<Settings, Name>;

const dynamodb = /* @__PURE__ */ oncePerProcess(() => documentClient());
const sqs = /* @__PURE__ */ oncePerProcess(queueClient);
const secrets = /* @__PURE__ */ oncePerProcess(secretsClient);

type Basic = With<'AWS_LAMBDA_FUNCTION_NAME' | 'API_URL' | 'ACCOUNTS_TABLE' | 'ACTIVITY_TABLE'>;
type BasicEffects = AccountEffects & Pick<Effects, keyof typeof clock | 'activity' | 'count' | 'apiUrl'>;

/** What almost every function has. People, unlike callers, see their changes at once: nothing is cached. */
export function basicsOf(name: FunctionName, config: Basic): { log: Log; basics: BasicEffects } {
  const { log, count, watch } = telemetryOf(name, config);
  const activity = dynamodbActivity({ client: dynamodb(), table: config.ACTIVITY_TABLE });
  const table = { client: dynamodb(), table: config.ACCOUNTS_TABLE };
  const stored = dynamodbAccounts({ ...table, watch, endOf: activity.endOf });
  const accounts = name === 'dashboard' ? stored : cachedAccounts(stored, clock.now);
  return { log, basics: { ...clock, count, apiUrl: config.API_URL, ...accounts, activity } };
}

/** For a function without scrapes, which cannot read how those ended. */
export function creditsOf(
  { ACCOUNTS_TABLE: table }: With<'ACCOUNTS_TABLE'>,
  watch: CreditWatch,
): AccountEffects {
  return cachedAccounts(dynamodbAccounts({ client: dynamodb(), table, watch }), clock.now);
}

/** Jobs, batches, chunks and crawls. */
export const jobsOf = (config: With<'JOBS_TABLE'>) =>
  dynamodbWork({ client: dynamodb(), table: config.JOBS_TABLE });

/** The queues of jobs, and of what the notifier does. */
export const queuesOf = (config: With<'JOBS_QUEUE_URL' | 'NOTICES_QUEUE_URL'>) => ({
  queue: sqsQueue({ client: sqs(), queueUrl: config.JOBS_QUEUE_URL }),
  ...notifierQueueOf(config),
});

type Working = With<'JOBS_TABLE' | 'JOBS_QUEUE_URL' | 'WEBHOOKS_TABLE' | 'NOTICES_QUEUE_URL'>;

/** What submits, runs and sweeps background work. */
export const workOf = (config: Working) => ({
  ...jobsOf(config),
  ...queuesOf(config),
  ...webhooksOf(config),
});

/** What the consumer of jobs needs besides: more messages, and how to put one off. */
export function consumerOf({ JOBS_QUEUE_URL: queueUrl }: With<'JOBS_QUEUE_URL'>) {
  const queue = { client: sqs(), queueUrl };
  return { inbox: sqsInbox(queue), postpone: sqsPostpone(queue) };
}

/** The bytes of pages. */
export function storeOf({ RESULTS_BUCKET: bucket }: With<'RESULTS_BUCKET'>) {
  return { results: s3Results({ client: resultsClient(), bucket }) };
}

/** Results and uploads share a bucket. */
export const resultsOf = (config: With<'RESULTS_BUCKET'>) => ({
  ...storeOf(config),
  uploads: s3Uploads({ client: uploadsClient(), bucket: config.RESULTS_BUCKET }),
});

/** Endpoints, and the events on their way to them. */
export function webhooksOf(
  config: With<'WEBHOOKS_TABLE' | 'NOTICES_QUEUE_URL'>,
): Pick<Effects, 'webhooks' | 'deliveries' | 'notifierQueue'> {
  const table = { client: dynamodb(), table: config.WEBHOOKS_TABLE };
  return {
    webhooks: dynamodbWebhooks(table),
    deliveries: dynamodbDeliveries(table),
    ...notifierQueueOf(config),
  };
}

function notifierQueueOf(config: With<'NOTICES_QUEUE_URL'>): Pick<Effects, 'notifierQueue'> {
  return { notifierQueue: sqsNotifierQueue({ client: sqs(), queueUrl: config.NOTICES_QUEUE_URL }) };
}

/** Submits of people, who have no key at hand. */
export const apiOf = ({ API_URL: url }: With<'API_URL'>) => ({ submit: submitToApi(url) });

export function vaultOf(config: With<'WEBHOOK_KEY_ARN'>): Pick<Effects, 'vault'> {
  return { vault: secretsVault(secrets(), config.WEBHOOK_KEY_ARN) };
}

type Notifying = With<
  | 'JOBS_TABLE'
  | 'RESULTS_BUCKET'
  | 'WEBHOOKS_TABLE'
  | 'NOTICES_QUEUE_URL'
  | 'ATTEMPTS_PER_ORGANIZATION'
  | 'API_HOST'
  | 'EGRESS_ALLOW'
>;

type AttemptEffects = Pick<Effects, 'receivers' | 'post' | 'results'> &
  ReturnType<typeof jobsOf> & { inbox: Inbox };

/** What attempts deliveries, some of which have documents of crawls and batches. */
export function attemptsOf(config: Notifying): AttemptEffects {
  const { WEBHOOKS_TABLE: table, ATTEMPTS_PER_ORGANIZATION: attemptsPerOrganization } = config;
  return {
    receivers: dynamodbReceivers({ client: dynamodb(), table, attemptsPerOrganization }),
    inbox: sqsInbox({ client: sqs(), queueUrl: config.NOTICES_QUEUE_URL }),
    post: guardedPost(egressOf(config)),
    ...jobsOf(config),
    ...storeOf(config),
  };
}

type Fetching = With<'API_HOST' | 'EGRESS_ALLOW' | 'PREMIUM_PROXY_SECRET_ARN' | 'MODEL_FUNCTION'>;
type Scraping = Fetching & With<'BROWSER_FUNCTION' | 'BROWSER_TENANCY' | 'ACTIVITY_TABLE' | 'CACHE_DAYS'>;

/** Which targets may be reached. */
export function egressOf(config: With<'API_HOST' | 'EGRESS_ALLOW'>): EgressPolicy {
  return { allow: config.EGRESS_ALLOW, refuse: config.API_HOST };
}

/** Which requests are accepted. */
export const targetsOf = (config: Fetching) => ({
  ...egressOf(config),
  hasPremiumProxy: config.PREMIUM_PROXY_SECRET_ARN !== undefined,
  hasModel: config.MODEL_FUNCTION !== undefined,
});

/** Fetches, renders and converts pages. Certificate authorities and converter are files beside the bundle. */
export function pagesOf(config: Scraping): ScrapeEffects {
  trustAuthorities(new URL(AUTHORITIES, import.meta.url));
  const { BROWSER_FUNCTION: functionName, BROWSER_TENANCY: tenancy } = config;
  const { PREMIUM_PROXY_SECRET_ARN: secretArn, ACTIVITY_TABLE: table, CACHE_DAYS: days } = config;
  const premiumProxy = secretsPremiumProxy({ client: secrets(), secretArn, now: clock.now });
  const memory = { client: dynamodb(), table };
  const client = new LambdaClient();
  return {
    fetchPage: chromeFetcher(egressOf(config), premiumProxy),
    renderPage: lambdaRenderer({ client, functionName, tenancy, premiumProxy }),
    readValues: lambdaModel({ client, functionName: config.MODEL_FUNCTION }),
    convert: threadConverter({ script: new URL(CONVERTER, import.meta.url) }),
    ladderMemory: dynamodbLadderMemory(memory),
    pageCache: dynamodbPageCache({ ...memory, days }),
  };
}

type Identified = With<'IDENTITY_TABLE' | 'USER_POOL_ID' | 'USER_POOL_CLIENT_ID'>;

/** Users, members and their browsers. */
export function peopleOf(
  config: Identified,
): Pick<Effects, 'identities' | 'people' | 'sessions' | 'signUps' | 'rateLimits'> {
  const table = { client: dynamodb(), table: config.IDENTITY_TABLE };
  const { USER_POOL_ID: userPoolId, USER_POOL_CLIENT_ID: clientId } = config;
  return {
    identities: cognitoIdentities({ client: cognitoClient(), userPoolId, clientId }),
    people: dynamodbPeople(table),
    sessions: dynamodbSessions(table),
    signUps: dynamodbSignUps(table),
    rateLimits: dynamodbRateLimits(table),
  };
}
