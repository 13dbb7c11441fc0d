import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/util-retry';
import { v7 } from 'uuid';
import { LOCAL_CREDENTIALS } from '../../../local/create-resources.ts';
import { REGION } from '../../../local/template/physical.ts';
import { documentClient, dynamodbClient } from '../../../shared/adapters/clients.ts';
import { dynamodbAccounts } from '../../../shared/adapters/dynamodb/accounts/dynamodb-accounts.ts';
import { dynamodbLadderMemory } from '../../../shared/adapters/dynamodb/scrape/dynamodb-ladder-memory.ts';
import { dynamodbPageCache } from '../../../shared/adapters/dynamodb/scrape/dynamodb-page-cache.ts';
import { dynamodbActivity } from '../../../shared/adapters/dynamodb/accounts/dynamodb-activity.ts';
import { dynamodbWork } from '../../../shared/adapters/dynamodb/batches/dynamodb-work.ts';
import { dynamodbDeliveries } from '../../../shared/adapters/dynamodb/webhooks/dynamodb-deliveries.ts';
import { dynamodbReceivers } from '../../../shared/adapters/dynamodb/webhooks/dynamodb-receivers.ts';
import { dynamodbWebhooks } from '../../../shared/adapters/dynamodb/webhooks/dynamodb-webhooks.ts';
import { dynamodbPeople } from '../../../shared/adapters/dynamodb/people/dynamodb-people.ts';
import { dynamodbRateLimits } from '../../../shared/adapters/dynamodb/people/dynamodb-rate-limits.ts';
import {
  dynamodbSessions,
  dynamodbSignUps,
} from '../../../shared/adapters/dynamodb/people/dynamodb-sessions.ts';
import type { CreditWatch } from '../../../shared/adapters/dynamodb/usage/usage-item.ts';
import { faultProxy } from '../servers/fault-proxy.ts';
import { ATTEMPTS_PER_ORGANIZATION } from './in-memory-webhooks.ts';
import { type Death, mortal } from './mortal.ts';
import { type Index, indexUnits } from './write-units.ts';

/** The SDK's own pause between attempts grows to seconds. */
const RETRY_MS = 5;

export type Faults = { seed: number; rate: number };

/** Jobs and accounts on fresh tables of a running DynamoDB. Torn down by `await using`. */
export async function dynamodbWorld(endpoint: string, faults?: Faults) {
  await using stack = new AsyncDisposableStack();
  const at = (url: string) => ({ endpoint: url, region: REGION, credentials: LOCAL_CREDENTIALS });
  const accounts = `accounts-${v7()}`;
  const jobs = `jobs-${v7()}`;
  const identity = `identity-${v7()}`;
  const activityName = `activity-${v7()}`;
  const webhooks = `webhooks-${v7()}`;
  const proxy = faults && stack.use(await faultProxy(endpoint, faults));
  const direct = stack.adopt(new DynamoDBClient(at(endpoint)), (client) => client.destroy());
  await direct.send(table(accounts, ACCOUNT_INDEXES));
  await direct.send(table(identity, [{ name: 'by_org', key: ['org_id', 'pk'] }]));
  await direct.send(table(activityName, [], 'sk'));
  await direct.send(table(webhooks, [{ name: 'due', key: ['due_shard', 'due_at'] }], 'sk'));
  await direct.send(table(jobs, JOB_INDEXES));

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
  const client = documentClient(dynamodb);
  /** Write units since the last call, including indexes. Slow: it reads each item twice. */
  const countWriteUnits = () => {
    let units = 0;
    const reader = documentClient(direct);
    const indexesOf: Record<string, readonly Index[]> = { [jobs]: JOB_INDEXES, [accounts]: ACCOUNT_INDEXES };
    client.middlewareStack.add(
      (next, { commandName = '' }) =>
        async (args) => {
          const { TableName = '', Item, Key = Item } = args.input as WriteInput;
          const pk = /^(Put|Update|Delete)/.test(commandName) ? Key?.['pk'] : undefined;
          const { [TableName]: indexes } = indexesOf;
          if (pk === undefined) return next(args);
          const get = new GetCommand({ TableName, Key: { pk }, ConsistentRead: true });
          const read = async () => (indexes ? (await reader.send(get)).Item : undefined);
          const before = await read();
          let tableUnits = 1;
          try {
            const result = await next(args);
            tableUnits = capacityOf(result.output);
            return result;
          } finally {
            // A write whose condition fails costs as well.
            units += tableUnits;
            const after = await read();
            units += indexUnits(before, after, indexes ?? []);
          }
        },
      { step: 'initialize' },
    );
    return () => {
      const counted = units;
      units = 0;
      return counted;
    };
  };
  const reported: (number | string)[] = [];
  const watch: CreditWatch = {
    charged: (credits) => reported.push(credits),
    anomaly: (_, anomaly) => reported.push(anomaly),
  };
  /** The ports of accounts of another environment, with its own memory. It may die at a request. */
  const activity = dynamodbActivity({ client, table: activityName });
  const { endOf } = activity;
  const newAccounts = (death?: Death) =>
    dynamodbAccounts({ client: death ? dying(client, death) : client, table: accounts, watch, endOf });
  const running = stack.move();
  return {
    client,
    tables: { accounts, jobs, identity, activity: activityName, webhooks },
    ...newAccounts(),
    newAccounts,
    activity,
    ladderMemory: dynamodbLadderMemory({ client, table: activityName }),
    pageCache: dynamodbPageCache({ client, table: activityName, days: 30 }),
    /** The credits and anomalies that the accounts have reported so far. */
    reported,
    ...dynamodbWork({ client, table: jobs }),
    webhooks: dynamodbWebhooks({ client, table: webhooks }),
    deliveries: dynamodbDeliveries({ client, table: webhooks }),
    receivers: dynamodbReceivers({
      client,
      table: webhooks,
      attemptsPerOrganization: ATTEMPTS_PER_ORGANIZATION,
    }),
    people: dynamodbPeople({ client, table: identity }),
    sessions: dynamodbSessions({ client, table: identity }),
    signUps: dynamodbSignUps({ client, table: identity }),
    rateLimits: dynamodbRateLimits({ client, table: identity }),
    /** All that is stored of people and their browsers. */
    identityItems: async () => (await client.send(new ScanCommand({ TableName: identity }))).Items ?? [],
    /** Stores an item among the jobs unchecked. */
    storeJob: (Item: Record<string, unknown>) => client.send(new PutCommand({ TableName: jobs, Item })),
    /** Stores an item among the accounts unchecked. */
    storeAccount: (Item: Record<string, unknown>) =>
      client.send(new PutCommand({ TableName: accounts, Item })),
    /** Commands sent to DynamoDB so far. */
    calls,
    /** Capacity units that each successful one consumed, as DynamoDB counts them. */
    spent,
    countWriteUnits,
    /** Requests by the fault that they met. */
    faults: proxy?.counts,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export type DynamodbWorld = Awaited<ReturnType<typeof dynamodbWorld>>;

type Consumed = { CapacityUnits?: number };

/** A batch of reads reports a list, by table. */
function capacityOf(output: object): number {
  const { ConsumedCapacity: consumed = [] } = output as { ConsumedCapacity?: Consumed | Consumed[] };
  return [consumed].flat().reduce((sum, { CapacityUnits: units = 0 }) => sum + units, 0);
}

const ACCOUNT_INDEXES: Index[] = [{ name: 'by_org', key: ['org_id', 'pk'] }];
const JOB_INDEXES: Index[] = [
  { name: 'open', key: ['open_shard', 'due_at'] },
  { name: 'by_org', key: ['job_of', 'pk'], holds: 'keys' },
];

type WriteInput = { TableName?: string; Key?: Record<string, unknown>; Item?: Record<string, unknown> };

function table(name: string, indexes: Index[], sortKey?: string): CreateTableCommand {
  const own = sortKey === undefined ? ['pk'] : ['pk', sortKey];
  const attributes = new Set([...own, ...indexes.flatMap(({ key }) => key)]);
  return new CreateTableCommand({
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema: own.map((AttributeName, at) => ({ AttributeName, KeyType: at === 0 ? 'HASH' : 'RANGE' })),
    AttributeDefinitions: [...attributes].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    GlobalSecondaryIndexes:
      indexes.length === 0
        ? undefined
        : indexes.map(({ name: IndexName, key: [partition, sort] }) => ({
            IndexName,
            KeySchema: [
              { AttributeName: partition, KeyType: 'HASH' },
              { AttributeName: sort, KeyType: 'RANGE' },
            ],
            Projection: { ProjectionType: 'ALL' },
          })),
  });
}

/** The client of a process that dies at a request. */
function dying(client: DynamoDBDocumentClient, death: Death): DynamoDBDocumentClient {
  const ports = { requests: { send: (command: GetCommand) => client.send(command) } };
  const { requests } = mortal(ports, death);
  return new Proxy(client, {
    get: (it, name) => (name === 'send' ? requests.send : (Reflect.get(it, name) as unknown)),
  });
}
