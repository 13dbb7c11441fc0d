import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { busy } from '../errors.ts';

/** For what answers in milliseconds or is not going to: without these the SDK waits for an answer for ever. */
export const TIMEOUTS = {
  connectionTimeout: 1_000,
  requestTimeout: 2_000,
  socketTimeout: 2_000,
  throwOnRequestTimeout: true,
};

/** For what moves megabytes, piece by piece. Once an answer has begun, its reader sets the pace. */
export const TRANSFER_TIMEOUTS = { ...TIMEOUTS, requestTimeout: 10_000, socketTimeout: 0 };

/** Signs of a table or a client that has too much to do: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html */
const SATURATED: readonly string[] = [
  'TimeoutError',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
];

/** A client that gives a lost answer up after two seconds, and tries again. Throws `busy` when that was in vain. */
export function dynamodbClient(config: DynamoDBClientConfig = {}): DynamoDBClient {
  const client = new DynamoDBClient({ requestHandler: TIMEOUTS, ...config });
  client.middlewareStack.add((next) => (args) => next(args).catch(translate), { step: 'initialize' });
  return client;
}

function translate(error: unknown): never {
  throw error instanceof Error && SATURATED.includes(error.name) ? busy(error) : error;
}

/** A client for documents: absent fields are left out rather than refused. */
export function documentClient(client = dynamodbClient()): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
