import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

/** DynamoDB answers in milliseconds or is not going to: without these the SDK waits for an answer for ever. */
const TIMEOUTS = {
  connectionTimeout: 1_000,
  requestTimeout: 2_000,
  socketTimeout: 2_000,
  throwOnRequestTimeout: true,
};

/** A client that gives a lost answer up after two seconds, and tries again. */
export function dynamodbClient(config: DynamoDBClientConfig = {}): DynamoDBClient {
  return new DynamoDBClient({ requestHandler: TIMEOUTS, ...config });
}

/** A client for documents: absent fields are left out rather than refused. */
export function documentClient(client = dynamodbClient()): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
