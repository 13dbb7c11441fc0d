import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import { documentClient } from '../../shared/adapters/clients.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { dynamodbActivity } from '../../shared/adapters/dynamodb/dynamodb-activity.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb/dynamodb-accounts.ts';
import { readLocalEnv } from '../../shared/config.ts';
import { dynamodbPeople } from '../../shared/adapters/dynamodb/dynamodb-people.ts';
import type { Effects } from '../../shared/ports.ts';
import { readStackFile, STOPPED } from '../running-stack.ts';

const LocalStack = z.object({
  endpoints: z.object({ dynamodb: z.url() }),
  tables: z.object({ accounts: z.string(), activity: z.string(), identity: z.string() }),
  dashboard_url: z.url(),
});

type Target = {
  local: boolean;
  stage: string;
  localDir?: string;
};

/** The dashboard's members, and its address for links to it. */
type Dashboard = Pick<Effects, 'people'> & { url: string };

export type Connection = Pick<Effects, 'accounts' | 'activity' | 'now' | 'newId'> & {
  dashboard: () => Promise<Dashboard>;
};

/** The accounts of a deployed stage, found by its stack's outputs, or of the local stack. */
export async function connect({
  local,
  stage,
  localDir = readLocalEnv().localDir,
}: Target): Promise<Connection> {
  return { ...clock, ...(local ? await localConnection(localDir) : await deployedConnection(stage)) };
}

async function localConnection(localDir: string) {
  const { endpoints, tables, dashboard_url: url } = await readStackFile(LocalStack, localDir);
  const client = new DynamoDBClient({
    endpoint: endpoints.dynamodb,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  client.middlewareStack.add((next) => (args) => next(args).catch(unlessStopped), { step: 'initialize' });
  const documents = documentClient(client);
  const people = dynamodbPeople({ client: documents, table: tables.identity });
  return {
    accounts: dynamodbAccounts({ client: documents, table: tables.accounts }),
    activity: dynamodbActivity({ client: documents, table: tables.activity }),
    dashboard: () => Promise.resolve({ people, url }),
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
    accounts: dynamodbAccounts({ client, table: found.AccountsTable }),
    activity: dynamodbActivity({ client, table: found.ActivityTable }),
    dashboard: async () => {
      const names = ['IdentityTable', 'DashboardUrl'] as const;
      const { IdentityTable: identity, DashboardUrl: url } = await outputsOf(
        `sitefetch-${stage}-dashboard`,
        names,
      );
      return { people: dynamodbPeople({ client, table: identity }), url };
    },
  };
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
