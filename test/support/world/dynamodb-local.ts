import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ConfiguredRetryStrategy } from '@smithy/util-retry';
import type { TestProject } from 'vitest/node';
import { LOCAL_CREDENTIALS } from '../../../local/create-resources.ts';
import { REGION } from '../../../local/template/physical.ts';

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- extends vitest's interface
  interface ProvidedContext {
    /** A DynamoDB for the whole test run. */
    dynamodbUrl: string | undefined;
  }
}

/** `npm run test:dynamodb` installs it, because nothing else needs its 66 MB. */
const INSTALLED = new URL('../../dynamodb-local/package.json', import.meta.url);
const JAVA = 17;
/** Half a minute in all. */
const [MAX_ATTEMPTS, PAUSE_STEP_MS] = [50, 25];

/** Runs Amazon's DynamoDB Local during a test run. */
export default async function dynamodbLocal(project: TestProject): Promise<() => Promise<void>> {
  const server = await startDynamodbLocal();
  project.provide('dynamodbUrl', server.url);
  return () => server[Symbol.asyncDispose]();
}

/** Amazon's DynamoDB Local, in memory. */
export async function startDynamodbLocal() {
  await assertJava();
  const folder = join(dirname(createRequire(INSTALLED).resolve('amplify-dynamodb-simulator')), 'emulator');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = ['-Djava.library.path=./DynamoDBLocal_lib', '-jar', 'DynamoDBLocal.jar'];
  const server = spawn('java', [...options, '-inMemory', '-port', String(port)], {
    cwd: folder,
    stdio: 'ignore',
  });
  await responds(url);
  return {
    url,
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    },
  };
}

async function assertJava(): Promise<void> {
  const { stderr } = await promisify(execFile)('java', ['-version']).catch(() => ({ stderr: '' }));
  const major = Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
  if (major >= JAVA) return;
  throw new Error(
    `DynamoDB Local needs Java ${JAVA} or newer: install a JRE (Debian: openjdk-17-jre-headless).`,
  );
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Waits until it responds: the SDK retries refused connections. */
async function responds(endpoint: string): Promise<void> {
  const retryStrategy = new ConfiguredRetryStrategy(MAX_ATTEMPTS, (attempt) => attempt * PAUSE_STEP_MS);
  const client = new DynamoDBClient({
    endpoint,
    region: REGION,
    credentials: LOCAL_CREDENTIALS,
    retryStrategy,
  });
  await client.send(new ListTablesCommand({}));
  client.destroy();
}
