import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { ConfiguredRetryStrategy } from '@smithy/util-retry';
import { v7 } from 'uuid';
import { inject } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { startEmulators } from '../../local/emulators.ts';
import { documentClient, dynamodbClient } from '../../shared/adapters/clients.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb-accounts.ts';
import type { CreditWatch } from '../../shared/adapters/dynamodb-usage.ts';
import { dynamodbJobs } from '../../shared/adapters/dynamodb-jobs.ts';
import { s3Results } from '../../shared/adapters/s3-results.ts';
import { sqsQueue } from '../../shared/adapters/sqs-queue.ts';
import { faultProxy } from './fault-proxy.ts';

const BUCKET = 'results';
/** The SDK's own pause between tries grows to seconds. */
const RETRY_MS = 5;

type Options = {
  /** The share of requests to DynamoDB that something happens to on the way, and the seed that says what. */
  faults?: { seed: number; rate: number };
};

/** The storage ports on the emulators, with fresh tables, queue and bucket. Torn down by `await using`. */
export async function emulatedWorld({ faults }: Options = {}) {
  await using stack = new AsyncDisposableStack();
  const emulators = stack.use(await startEmulators());
  const at = (endpoint: string) => ({ endpoint, region: 'us-east-1', credentials: LOCAL_CREDENTIALS });
  // Another DynamoDB may be given for the whole run, so the tables of every world have names of their own.
  const endpoint = inject('dynamodbUrl') ?? emulators.dynamodb;
  const accounts = `accounts-${v7()}`;
  const jobs = `jobs-${v7()}`;
  const proxy = faults && stack.use(await faultProxy(endpoint, faults));
  const direct = stack.adopt(new DynamoDBClient(at(endpoint)), (client) => client.destroy());
  const dynamodb = stack.adopt(
    dynamodbClient({
      ...at(proxy?.url ?? endpoint),
      retryStrategy: new ConfiguredRetryStrategy(8, RETRY_MS),
    }),
    (client) => client.destroy(),
  );
  const calls: string[] = [];
  const spent: number[] = [];
  dynamodb.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        calls.push(String(commandName));
        Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
        const result = await next(args);
        spent.push(capacityOf(result.output));
        return result;
      },
    { step: 'initialize' },
  );
  const s3 = stack.adopt(new S3Client(at(emulators.s3)), (client) => client.destroy());
  const sqs = stack.adopt(new SQSClient(at(emulators.sqs)), (client) => client.destroy());

  await direct.send(table(accounts, [{ name: 'by_org', key: ['org_id', 'pk'] }]));
  await direct.send(table(jobs, [{ name: 'open', key: ['open_shard', 'due_at'] }]));
  await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
  const { QueueUrl: queueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'jobs' }));

  const client = documentClient(dynamodb);
  const told: (number | string)[] = [];
  const watch: CreditWatch = {
    charged: (credits) => told.push(credits),
    anomaly: (_, anomaly) => told.push(anomaly),
  };
  const running = stack.move();
  return {
    accounts: dynamodbAccounts({ client, table: accounts, watch }),
    /** What the accounts told of credits so far. */
    told,
    jobs: dynamodbJobs({ client, table: jobs }),
    results: s3Results({ client: s3, bucket: BUCKET }),
    queue: sqsQueue({ client: sqs, queueUrl }),
    sqs,
    queueUrl,
    /** Commands sent to DynamoDB so far. */
    calls,
    /** Capacity units that each of those which succeeded consumed, as DynamoDB counts them. */
    spent,
    /** How many requests met which fault. */
    faults: proxy?.counts,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export type EmulatedWorld = Awaited<ReturnType<typeof emulatedWorld>>;

const capacityOf = (output: object): number =>
  (output as { ConsumedCapacity?: { CapacityUnits?: number } }).ConsumedCapacity?.CapacityUnits ?? 0;

type Index = { name: string; key: [partition: string, sort: string] };

function table(name: string, indexes: Index[]): CreateTableCommand {
  const attributes = new Set(['pk', ...indexes.flatMap(({ key }) => key)]);
  return new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    AttributeDefinitions: [...attributes].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    GlobalSecondaryIndexes: indexes.map(({ name: IndexName, key: [partition, sort] }) => ({
      IndexName,
      KeySchema: [
        { AttributeName: partition, KeyType: 'HASH' },
        { AttributeName: sort, KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'ALL' },
    })),
  });
}
