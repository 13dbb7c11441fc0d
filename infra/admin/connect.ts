import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { z } from 'zod';
import { documentClient } from '../../shared/adapters/clients.ts';
import { clock } from '../../shared/adapters/clock.ts';
import { dynamodbAccounts } from '../../shared/adapters/dynamodb/dynamodb-accounts.ts';
import { readLocalEnv } from '../../shared/config.ts';
import type { Effects } from '../../shared/ports.ts';

const LocalStack = z.object({
  endpoints: z.object({ dynamodb: z.url() }),
  tables: z.object({ accounts: z.string() }),
});

type Target = {
  local: boolean;
  stage: string;
  localDir?: string;
};

export type Connection = Pick<Effects, 'accounts' | 'now' | 'newId'>;

/** The accounts of a deployed stage, found by its stack's outputs, or of the local stack. */
export async function connect({
  local,
  stage,
  localDir = readLocalEnv().localDir,
}: Target): Promise<Connection> {
  return { ...clock, accounts: local ? await localAccounts(localDir) : await deployedAccounts(stage) };
}

async function localAccounts(localDir: string) {
  const file = join(localDir, 'stack.json');
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new Error(`No local stack is running: ${file} does not exist. Run "npm start" first.`, { cause });
  });
  const { endpoints, tables } = LocalStack.parse(JSON.parse(text));
  const client = new DynamoDBClient({
    endpoint: endpoints.dynamodb,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  client.middlewareStack.add((next) => (args) => next(args).catch(unlessStopped), { step: 'initialize' });
  return dynamodbAccounts({ client: documentClient(client), table: tables.accounts });
}

/** A stack that was killed leaves its file behind. */
function unlessStopped(error: unknown): never {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ECONNREFUSED') throw error;
  throw new Error('The local stack has stopped. Run "npm start" again.', { cause: error });
}

async function deployedAccounts(stage: string) {
  const client = new CloudFormationClient();
  const region = await client.config.region();
  const stackName = `sitefetch-${stage}-service`;
  const { Stacks = [] } = await client
    .send(new DescribeStacksCommand({ StackName: stackName }))
    .catch((error: unknown) => {
      if (!(error instanceof Error) || !error.message.endsWith('does not exist')) throw error;
      const where = `Stack ${stackName} does not exist in ${region}.`;
      throw new Error(`${where} Deploy it, or name another --stage or AWS_REGION.`, { cause: error });
    });
  const table = Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'AccountsTable')?.OutputValue;
  if (table === undefined) throw new Error(`Stack ${stackName} has no output AccountsTable.`);
  return dynamodbAccounts({ client: documentClient(), table });
}
