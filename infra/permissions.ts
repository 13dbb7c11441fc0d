import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { FunctionName } from '../shared/config.ts';
import type { Resources } from './resources.ts';

const CONSUME = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
];

/** What each function may do, by action and resource; besides, it may write its own log. `browser` may do nothing. */
export function permissionsOn({ accounts, jobs, results, queue, deadLetters }: Resources) {
  const bodies = results.arnForObjects('results/*');
  // Strangers' bytes are read beside these credentials, which change no key and no organization.
  const look = allow(accounts.tableArn, ['dynamodb:GetItem']);
  const meter = allow(accounts.tableArn, ['dynamodb:UpdateItem'], 'USAGE#*');
  const send = allow(queue.queueArn, ['sqs:SendMessage']);
  return {
    scraper: [look, meter],
    jobs: [
      look,
      meter,
      allow(jobs.tableArn, ['dynamodb:GetItem', 'dynamodb:PutItem']),
      allow(jobs.tableArn, ['dynamodb:DeleteItem'], 'IDEMPOTENCY#*'),
      allow(bodies, ['s3:GetObject']),
      // Without it S3 says 403 and not 404 of an object that has expired.
      // https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
      // With a condition on the prefix it would not count, as GetObject has none; there is nothing but results.
      allow(results.bucketArn, ['s3:ListBucket']),
      send,
    ],
    worker: [
      look,
      meter,
      allow(jobs.tableArn, ['dynamodb:GetItem', 'dynamodb:PutItem']),
      allow(bodies, ['s3:PutObject', 's3:AbortMultipartUpload']),
      allow(queue.queueArn, CONSUME),
    ],
    browser: [],
    sweeper: [
      look,
      meter,
      allow(jobs.tableArn, ['dynamodb:GetItem', 'dynamodb:PutItem']),
      allow(`${jobs.tableArn}/index/open`, ['dynamodb:Query']),
      allow(deadLetters.queueArn, CONSUME),
      send,
    ],
    meta: [],
  } satisfies Record<FunctionName, PolicyStatement[]>;
}

/** Calling the browser; InvokeWithResponseStream takes the same action. */
export const callOf = (target: Function) => allow(target.functionArn, ['lambda:InvokeFunction']);

/** Reading one secret, by its whole ARN. */
export const readOf = (secretArn: string) => allow(secretArn, ['secretsmanager:GetSecretValue']);

/** With `keys` only on items whose partition key is like it, `*` being anything. */
function allow(resource: string, actions: string[], keys?: string): PolicyStatement {
  // https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
  const conditions = {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [keys] },
    // "For all values" is true of none, too.
    Null: { 'dynamodb:LeadingKeys': 'false' },
  };
  return new PolicyStatement({ actions, resources: [resource], ...(keys && { conditions }) });
}
