import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import { WAITING_LIST } from '../shared/adapters/dynamodb/usage/dynamodb-wait-list.ts';
import type { DashboardResources, Resources } from './resources.ts';

const CONSUME = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
];

/** Permissions of the API's functions, by name. None of them changes keys or organizations. */
export function permissionsOn(it: Resources) {
  const { accounts, activity, jobs, results, queue, deadLetters } = it;
  const bodies = results.arnForObjects('results/*');

  return {
    readAccounts: allow(accounts.tableArn, ['dynamodb:GetItem']),
    noteWaiting: allow(accounts.tableArn, ['dynamodb:PutItem'], 'WAITING#*'),
    takeOffList: allow(accounts.tableArn, ['dynamodb:DeleteItem'], 'WAITING#*'),
    readList: allow(`${accounts.tableArn}/index/by_org`, ['dynamodb:Query'], WAITING_LIST),
    writeUsage: allow(accounts.tableArn, ['dynamodb:UpdateItem'], 'USAGE#*'),
    readActivity: allow(activity.tableArn, ['dynamodb:GetItem']),
    listActivity: allow(activity.tableArn, ['dynamodb:Query']),
    writeActivity: allow(activity.tableArn, ['dynamodb:PutItem']),
    writeJobs: allow(jobs.tableArn, ['dynamodb:GetItem', 'dynamodb:PutItem']),
    changeBatches: allow(jobs.tableArn, ['dynamodb:UpdateItem'], 'BATCH#*'),
    deleteJobs: allow(jobs.tableArn, ['dynamodb:DeleteItem']),
    listJobs: allow(jobs.tableArn, ['dynamodb:BatchGetItem']),
    listJobIds: allow(`${jobs.tableArn}/index/by_org`, ['dynamodb:Query']),
    findDueJobs: allow(`${jobs.tableArn}/index/open`, ['dynamodb:Query']),
    readResults: allow(bodies, ['s3:GetObject']),
    deleteResults: allow(bodies, ['s3:DeleteObject']),
    // Without it S3 returns 403 rather than 404 for an expired object.
    // https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
    // A condition on the prefix would void that, as GetObject sends no prefix.
    listResults: allow(results.bucketArn, ['s3:ListBucket']),
    /** For requests of a batch, and for links that take uploads: they are signed with its own role. */
    writeUploads: allow(results.arnForObjects('results/*/requests.ndjson'), [
      's3:PutObject',
      's3:AbortMultipartUpload',
    ]),
    deleteUploads: allow(results.arnForObjects('results/*/requests.ndjson'), ['s3:DeleteObject']),
    findUploads: allow(`${jobs.tableArn}/index/open`, ['dynamodb:Query'], 'UPLOADS#*'),
    writeResults: allow(bodies, ['s3:PutObject', 's3:AbortMultipartUpload']),
    ...onKeptPages(it),
    ...onWebhooks(it),
    sendJobs: allow(queue.queueArn, ['sqs:SendMessage']),
    consumeJobs: allow(queue.queueArn, CONSUME),
    consumeDeadLetters: allow(deadLetters.queueArn, CONSUME),
  };
}

/** Pages that are kept for repeats, beside activity and the results of jobs. */
function onKeptPages({ activity, results }: Pick<Resources, 'activity' | 'results'>) {
  const bodies = results.arnForObjects('results/*/cache/*');
  return {
    renewPages: allow(activity.tableArn, ['dynamodb:UpdateItem'], 'CACHE#*'),
    forgetPages: allow(activity.tableArn, ['dynamodb:Query', 'dynamodb:DeleteItem'], 'CACHE#*'),
    writePages: allow(bodies, ['s3:PutObject', 's3:AbortMultipartUpload']),
    deletePages: allow(bodies, ['s3:DeleteObject']),
    /** Also for links to them, which are signed with the function's own role. */
    writePictures: allow(results.arnForObjects('results/*/pictures/*'), [
      's3:PutObject',
      's3:AbortMultipartUpload',
    ]),
  };
}

/** Endpoints, deliveries and receivers share a table, under keys that begin with their names. */
function onWebhooks({ jobs, webhooks, notices }: Pick<Resources, 'jobs' | 'webhooks' | 'notices'>) {
  const { tableArn } = webhooks;
  return {
    readWebhooks: allow(tableArn, ['dynamodb:GetItem']),
    readEndpoints: allow(tableArn, ['dynamodb:GetItem'], 'ENDPOINTS#*'),
    listEndpoints: allow(tableArn, ['dynamodb:Query'], 'ENDPOINTS#*'),
    listWebhooks: allow(tableArn, ['dynamodb:Query']),
    writeWebhooks: allow(tableArn, ['dynamodb:PutItem']),
    addDeliveries: allow(tableArn, ['dynamodb:PutItem'], 'DELIVERIES#*'),
    readDeliveries: allow(tableArn, ['dynamodb:GetItem'], 'DELIVERIES#*'),
    writeReceivers: allow(tableArn, ['dynamodb:UpdateItem'], 'RECEIVER#*'),
    deleteEndpoints: allow(tableArn, ['dynamodb:DeleteItem'], 'ENDPOINTS#*'),
    findDueDeliveries: allow(`${tableArn}/index/due`, ['dynamodb:Query']),
    /** Whose webhooks receive headers and documents. */
    readHooks: allow(jobs.tableArn, ['dynamodb:GetItem'], 'BATCH#*', 'CRAWL#*'),
    sendNotices: allow(notices.queueArn, ['sqs:SendMessage']),
    consumeNotices: allow(notices.queueArn, CONSUME),
  };
}

const ITEMS = ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'];

/** Everything that the dashboard may do. It is the only function that makes keys and reaches users. */
export function dashboardPermissions(it: DashboardResources): PolicyStatement[] {
  const { accounts, activity, identity, jobs, queue, results, userPool, webhookKey } = it;
  const may = onWebhooks(it);
  return [
    allow(accounts.tableArn, ['dynamodb:GetItem']),
    allow(accounts.tableArn, ['dynamodb:PutItem'], 'KEY#*', 'ORG#*'),
    // A cancelled job gives its slot and credits back, and an admin changes the organization's name.
    allow(accounts.tableArn, ['dynamodb:UpdateItem'], 'USAGE#*', 'ORG#*'),
    allow(`${accounts.tableArn}/index/by_org`, ['dynamodb:Query']),
    allow(activity.tableArn, ['dynamodb:PutItem', 'dynamodb:Query']),
    allow(jobs.tableArn, ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:PutItem']),
    // What is cancelled in a batch is counted.
    allow(jobs.tableArn, ['dynamodb:UpdateItem'], 'BATCH#*'),
    allow(`${jobs.tableArn}/index/by_org`, ['dynamodb:Query']),
    // Also for links to results, which are signed with its own role.
    allow(results.arnForObjects('results/*'), ['s3:GetObject']),
    may.readWebhooks,
    may.listWebhooks,
    may.writeWebhooks,
    may.deleteEndpoints,
    may.sendNotices,
    // A crawl that is cancelled is planned on.
    allow(queue.queueArn, ['sqs:SendMessage']),
    readOf(webhookKey.secretArn),
    allow(identity.tableArn, ITEMS),
    allow(`${identity.tableArn}/index/by_org`, ['dynamodb:Query']),
    // Calls in the name of users, such as signing in, need no permission.
    allow(userPool.userPoolArn, [
      'cognito-idp:AdminDeleteUser',
      'cognito-idp:AdminGetUser',
      'cognito-idp:DescribeUserPoolClient',
    ]),
  ];
}

/** Invokes a function, streaming or not: InvokeWithResponseStream needs the same action. */
export const callOf = (target: Function) => allow(target.functionArn, ['lambda:InvokeFunction']);

/**
 * Calls a model of Bedrock, only through an inference profile if that is given.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-prereq.html
 */
export function invokeModel(arn: string, profile?: string): PolicyStatement {
  const conditions = profile !== undefined && { StringEquals: { 'bedrock:InferenceProfileArn': profile } };
  return new PolicyStatement({
    actions: ['bedrock:InvokeModel'],
    resources: [arn],
    ...(conditions && { conditions }),
  });
}

export const readOf = (secretArn: string) => allow(secretArn, ['secretsmanager:GetSecretValue']);

/** `keys` restrict it to items whose partition key matches one; `*` is a wildcard. */
function allow(resource: string, actions: string[], ...keys: string[]): PolicyStatement {
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
  const conditions = {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
    // ForAllValues also holds for a request without keys.
    Null: { 'dynamodb:LeadingKeys': 'false' },
  };
  return new PolicyStatement({ actions, resources: [resource], ...(keys.length > 0 && { conditions }) });
}
