import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Blueprint } from './template/blueprint.ts';
import { REGION } from './template/physical.ts';

type Table = Blueprint['tables'][number];

/** The emulators take any credentials, but the SDK requires some. */
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Creates the tables, queues and buckets of the templates that an earlier run has not left. */
export async function createResources(
  blueprint: Blueprint,
  emulators: Record<'dynamodb' | 'sqs' | 's3', string>,
): Promise<void> {
  const at = (endpoint: string) => ({ endpoint, region: REGION, credentials: LOCAL_CREDENTIALS });
  const dynamodb = new DynamoDBClient(at(emulators.dynamodb));
  const sqs = new SQSClient({ ...at(emulators.sqs), useQueueUrlAsEndpoint: false });
  const s3 = new S3Client(at(emulators.s3));
  try {
    await Promise.all([
      ...blueprint.tables.map((table) => createTable(dynamodb, table)),
      ...blueprint.queues.map((queue) => createQueue(sqs, queue)),
      ...blueprint.buckets.map(({ name }) => s3.send(new CreateBucketCommand({ Bucket: name }))),
    ]);
  } finally {
    for (const client of [dynamodb, sqs, s3]) client.destroy();
  }
}

/** Throws if the table is there with other keys or indexes: the emulator cannot change those. */
async function createTable(dynamodb: DynamoDBClient, table: Table): Promise<void> {
  const { name: TableName, KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = table;
  const wanted = { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes };
  try {
    await dynamodb.send(new CreateTableCommand({ TableName, BillingMode: 'PAY_PER_REQUEST', ...wanted }));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
    const { Table: there = {} } = await dynamodb.send(new DescribeTableCommand({ TableName }));
    if (layoutOf(there) === layoutOf(wanted)) return;
    throw new Error(
      `The kept table ${TableName} is of another version. Start over with "npm start -- --fresh".`,
      { cause: error },
    );
  }
}

function layoutOf({ KeySchema = [], GlobalSecondaryIndexes = [] }: TableDescription): string {
  const keys = (schema: typeof KeySchema) =>
    schema.map(({ AttributeName, KeyType }) => [AttributeName, KeyType]);
  const indexes = GlobalSecondaryIndexes.map(({ IndexName, KeySchema: schema = [], Projection }) => [
    IndexName,
    keys(schema),
    Projection?.ProjectionType,
    Projection?.NonKeyAttributes?.toSorted(),
  ]);
  return JSON.stringify([keys(KeySchema), indexes.sort()]);
}

/** Attributes are set apart, because a queue that is there with others cannot be created again. */
async function createQueue(sqs: SQSClient, queue: Blueprint['queues'][number]): Promise<void> {
  const { name, url, VisibilityTimeout, MessageRetentionPeriod, DelaySeconds, RedrivePolicy } = queue;
  await sqs.send(new CreateQueueCommand({ QueueName: name }));
  const attributes = {
    VisibilityTimeout: String(VisibilityTimeout),
    MessageRetentionPeriod: String(MessageRetentionPeriod),
    DelaySeconds: String(DelaySeconds),
    RedrivePolicy: RedrivePolicy ? JSON.stringify(RedrivePolicy) : '',
  };
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: attributes }));
}
