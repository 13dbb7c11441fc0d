import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { busy } from '../errors.ts';
import { TIMEOUTS } from './timeouts.ts';

/** For transfers of megabytes. Once a response has begun, its reader sets the pace. */
export const TRANSFER_TIMEOUTS = { ...TIMEOUTS, requestTimeout: 10_000, socketTimeout: 0 };

export const queueClient = () => new SQSClient({ requestHandler: TIMEOUTS });

/** For results of up to 50 MB. */
export const resultsClient = () => new S3Client({ requestHandler: TRANSFER_TIMEOUTS });

/** For links that take any bytes: by default they are signed with the checksum of an empty body. */
export const uploadsClient = () =>
  new S3Client({ requestHandler: TRANSFER_TIMEOUTS, requestChecksumCalculation: 'WHEN_REQUIRED' });

/** Throttling and overload: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html */
const SATURATED: readonly string[] = [
  'TimeoutError',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
];

/** Retries a call without a response after two seconds. Throws `busy` when retries are used up. */
export function dynamodbClient(config: DynamoDBClientConfig = {}): DynamoDBClient {
  const client = new DynamoDBClient({ requestHandler: TIMEOUTS, ...config });
  client.middlewareStack.add((next) => (args) => next(args).catch(translate), { step: 'initialize' });
  return client;
}

function translate(error: unknown): never {
  throw error instanceof Error && SATURATED.includes(error.name) ? busy(error) : error;
}

/** Drops absent fields instead of rejecting them. */
export function documentClient(client = dynamodbClient()): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/** One client per process, opened when first needed. A bundle has only the clients that its function uses. */
export function oncePerProcess<Client>(open: () => Client): () => Client {
  let client: Client | undefined;
  return () => (client ??= open());
}
