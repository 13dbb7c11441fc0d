import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Emulators } from './emulators.ts';
import type { Blueprint } from './template/blueprint.ts';
import { REGION } from './template/physical.ts';

/** The emulators take any credentials, but the SDK wants some. */
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Creates the tables, queues and buckets of the templates. */
export async function createResources(blueprint: Blueprint, emulators: Emulators): Promise<void> {
  const at = (endpoint: string) => ({ endpoint, region: REGION, credentials: LOCAL_CREDENTIALS });
  const dynamodb = new DynamoDBClient(at(emulators.dynamodb));
  const sqs = new SQSClient(at(emulators.sqs));
  const s3 = new S3Client(at(emulators.s3));
  try {
    await Promise.all([
      ...blueprint.tables.map((table) => dynamodb.send(createTable(table))),
      ...blueprint.queues.map((queue) => sqs.send(createQueue(queue))),
      ...blueprint.buckets.map(({ name }) => s3.send(new CreateBucketCommand({ Bucket: name }))),
    ]);
  } finally {
    for (const client of [dynamodb, sqs, s3]) client.destroy();
  }
}

function createTable(table: Blueprint['tables'][number]): CreateTableCommand {
  return new CreateTableCommand({
    TableName: table.name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: table.KeySchema,
    AttributeDefinitions: table.AttributeDefinitions,
    GlobalSecondaryIndexes: table.GlobalSecondaryIndexes,
  });
}

function createQueue(queue: Blueprint['queues'][number]): CreateQueueCommand {
  const { name, VisibilityTimeout, MessageRetentionPeriod, DelaySeconds, RedrivePolicy } = queue;
  return new CreateQueueCommand({
    QueueName: name,
    Attributes: {
      VisibilityTimeout: String(VisibilityTimeout),
      MessageRetentionPeriod: String(MessageRetentionPeriod),
      DelaySeconds: String(DelaySeconds),
      ...(RedrivePolicy && { RedrivePolicy: JSON.stringify(RedrivePolicy) }),
    },
  });
}
