import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { documentClient, resultsClient } from '../../shared/adapters/clients.ts';
import { cognitoClient } from '../../shared/adapters/cognito-identities.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { dynamodbActivity } from '../../shared/adapters/dynamodb/accounts/dynamodb-activity.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb/accounts/dynamodb-accounts.ts';
import { readLocalEnv } from '../../shared/local-config.ts';
import { dynamodbPeople } from '../../shared/adapters/dynamodb/people/dynamodb-people.ts';
import type { AccountEffects, Store } from '../../shared/ports/accounts.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { readStackFile, STOPPED } from '../running-stack.ts';
import { openStores } from './open-stores.ts';

const LocalStack = z.object({
  endpoints: z.object({ dynamodb: z.url(), s3: z.url(), cognito: z.url() }),
  tables: z.object({
    accounts: z.string(),
    activity: z.string(),
    identity: z.string(),
    jobs: z.string(),
    webhooks: z.string(),
  }),
  buckets: z.object({ results: z.string() }),
  pools: z.object({ user: z.string() }),
  dashboard_url: z.url(),
});

type Target = {
  local: boolean;
  stage: string;
  localDir?: string;
};

/** The dashboard's members, and its address for links to it. */
type Dashboard = Pick<Effects, 'people'> & { url: string };

export type Connection = AccountEffects &
  Pick<Effects, 'activity' | 'now' | 'newId' | 'wait'> & {
    dashboard: () => Promise<Dashboard>;
    /** Everything that is stored for organizations. */
    stores: () => Promise<Store[]>;
    /** Tells the operator what is done, with the time, so that it can be kept. */
    report: (line: string) => void;
  };

/** The accounts of a deployed stage, found by its stack's outputs, or of the local stack. */
export async function connect({
  local,
  stage,
  localDir = readLocalEnv().localDir,
}: Target): Promise<Connection> {
  const report = (line: string) => console.error(`${clock.now().toISOString()} ${line}`);
  return { ...clock, report, ...(local ? await localConnection(localDir) : await deployedConnection(stage)) };
}

async function localConnection(localDir: string) {
  const { endpoints, tables, buckets, pools, dashboard_url: url } = await readStackFile(LocalStack, localDir);
  const at = (endpoint: string) => ({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const client = new DynamoDBClient(at(endpoints.dynamodb));
  client.middlewareStack.add((next) => (args) => next(args).catch(unlessStopped), { step: 'initialize' });
  const documents = documentClient(client);
  const people = dynamodbPeople({ client: documents, table: tables.identity });
  return {
    ...dynamodbAccounts({ client: documents, table: tables.accounts }),
    activity: dynamodbActivity({ client: documents, table: tables.activity }),
    dashboard: () => Promise.resolve({ people, url }),
    stores: () => {
      const s3 = new S3Client({ ...at(endpoints.s3), forcePathStyle: true });
      const clients = { documents, s3, cognito: new CognitoIdentityProviderClient(at(endpoints.cognito)) };
      return Promise.resolve(
        openStores(clients, { tables, bucket: buckets.results, userPoolId: pools.user }),
      );
    },
  };
}

/** A stack that was killed leaves its file behind. */
function unlessStopped(error: unknown): never {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ECONNREFUSED') throw error;
  throw new Error(STOPPED, { cause: error });
}

async function deployedConnection(stage: string) {
  const client = documentClient();
  const outputs = ['AccountsTable', 'ActivityTable'] as const;
  const found = await outputsOf(`sitefetch-${stage}-service`, outputs);
  return {
    ...dynamodbAccounts({ client, table: found.AccountsTable }),
    activity: dynamodbActivity({ client, table: found.ActivityTable }),
    dashboard: async () => {
      const names = ['IdentityTable', 'DashboardUrl'] as const;
      const { IdentityTable: identity, DashboardUrl: url } = await outputsOf(
        `sitefetch-${stage}-dashboard`,
        names,
      );
      return { people: dynamodbPeople({ client, table: identity }), url };
    },
    stores: () => deployedStores(stage, client),
  };
}

async function deployedStores(stage: string, documents: DynamoDBDocumentClient): Promise<Store[]> {
  const ofService = [
    'AccountsTable',
    'ActivityTable',
    'JobsTable',
    'WebhooksTable',
    'ResultsBucket',
  ] as const;
  const [service, dashboard] = await Promise.all([
    outputsOf(`sitefetch-${stage}-service`, ofService),
    outputsOf(`sitefetch-${stage}-dashboard`, ['IdentityTable', 'UserPool'] as const),
  ]);
  const tables = {
    accounts: service.AccountsTable,
    activity: service.ActivityTable,
    identity: dashboard.IdentityTable,
    jobs: service.JobsTable,
    webhooks: service.WebhooksTable,
  };
  const clients = { documents, s3: resultsClient(), cognito: cognitoClient() };
  return openStores(clients, { tables, bucket: service.ResultsBucket, userPoolId: dashboard.UserPool });
}

/** These outputs of a stack. Throws if it or one of them is missing. */
async function outputsOf<Name extends string>(StackName: string, names: readonly Name[]) {
  const client = new CloudFormationClient();
  const region = await client.config.region();
  const { Stacks = [] } = await client
    .send(new DescribeStacksCommand({ StackName }))
    .catch((error: unknown) => {
      if (!(error instanceof Error) || !error.message.endsWith('does not exist')) throw error;
      const where = `Stack ${StackName} does not exist in ${region}.`;
      throw new Error(`${where} Deploy it, or name another --stage or AWS_REGION.`, { cause: error });
    });
  const entries = names.map((name): [Name, string] => {
    const value = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === name)?.OutputValue;
    if (value === undefined) throw new Error(`Stack ${StackName} has no output ${name}.`);
    return [name, value];
  });
  return Object.fromEntries(entries) as Record<Name, string>;
}
