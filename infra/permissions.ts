import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { FunctionName } from '../shared/config.ts';
import type { Storage } from './storage-stack.ts';

type Resources = Storage & { queue: Queue; deadLetters: Queue };

const CONSUME = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
];

/** What each function may do, by action and resource; besides, it may write its own log. `browser` may do nothing. */
export function permissionsOn({ accounts, jobs, results, queue, deadLetters }: Resources) {
  const bodies = results.arnForObjects('results/*');
  const meter = allow(accounts.tableArn, ['dynamodb:GetItem', 'dynamodb:UpdateItem']);
  const send = allow(queue.queueArn, ['sqs:SendMessage']);
  return {
    scraper: [meter],
    jobs: [
      meter,
      allow(jobs.tableArn, ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem']),
      allow(bodies, ['s3:GetObject']),
      // Without it S3 says 403 and not 404 of an object that has expired.
      // https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
      allow(results.bucketArn, ['s3:ListBucket']),
      send,
    ],
    worker: [
      meter,
      allow(jobs.tableArn, ['dynamodb:GetItem', 'dynamodb:PutItem']),
      allow(bodies, ['s3:PutObject', 's3:AbortMultipartUpload']),
      allow(queue.queueArn, CONSUME),
    ],
    browser: [],
    sweeper: [
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

function allow(resource: string, actions: string[]): PolicyStatement {
  return new PolicyStatement({ actions, resources: [resource] });
}
