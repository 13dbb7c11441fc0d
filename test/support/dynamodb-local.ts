import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  // eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- merged into vitest's own interface
  interface ProvidedContext {
    /** A DynamoDB that runs for the whole of the run. */
    dynamodbUrl: string | undefined;
  }
}

const JAVA = 17;
const START_MS = 30_000;

/** Runs Amazon's DynamoDB Local for the time of a test run. */
export default async function dynamodbLocal(project: TestProject): Promise<() => Promise<void>> {
  await assertJava();
  const folder = join(
    dirname(createRequire(import.meta.url).resolve('amplify-dynamodb-simulator')),
    'emulator',
  );
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = ['-Djava.library.path=./DynamoDBLocal_lib', '-jar', 'DynamoDBLocal.jar'];
  const server = spawn('java', [...options, '-inMemory', '-port', String(port)], {
    cwd: folder,
    stdio: 'ignore',
  });
  await answers(url, AbortSignal.timeout(START_MS));
  project.provide('dynamodbUrl', url);
  return async () => {
    server.kill('SIGKILL');
    await once(server, 'exit');
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

/** Any answer will do: without a signature it is 400. */
async function answers(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('DynamoDB Local did not start.');
}
