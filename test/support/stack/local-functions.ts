import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvokeCommand, InvokeWithResponseStreamCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { openInvokeApi } from '../../../local/lambda/invoke-api.ts';
import { runFunction } from '../../../local/lambda/lambda-function.ts';
import { processes } from '../../../local/lambda/process-tree.ts';

const CONSOLE_PREFIX = /^[\d-]+T[\d:.]+Z\t\S*\t[A-Z]+\t/;

type Limits = {
  timeoutSeconds?: number;
  reservedConcurrency?: number;
  maxEnvironments?: number;
  variables?: Record<string, string>;
  recursiveLoop?: 'Allow' | 'Terminate';
};

/** A function whose handler is the given ES module, and a real client of the Lambda API to call it. */
export async function localFunction(source: string, limits: Limits = {}) {
  const { timeoutSeconds = 20, reservedConcurrency = 100, maxEnvironments = 4 } = limits;
  const { variables = {}, recursiveLoop } = limits;
  const folder = await mkdtemp(join(tmpdir(), 'local-function-'));
  const taskRoot = join(folder, 'task');
  const temporary = join(folder, 'tmp');
  await mkdir(taskRoot);
  await writeFile(join(taskRoot, 'index.mjs'), source);
  const lines: string[] = [];
  const messages: string[] = [];
  const lambda = runFunction({
    spec: {
      name: 'probe',
      label: 'probe',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:probe',
      taskRoot,
      handler: 'index.handler',
      timeoutSeconds,
      memoryMb: 256,
      variables: { GREETING: 'hello', ...variables },
      ...(recursiveLoop && { recursiveLoop }),
    },
    reservedConcurrency,
    maxEnvironments,
    temporary,
    log: (line) => {
      lines.push(line);
      messages.push(line.replace(CONSOLE_PREFIX, ''));
    },
  });
  const api = await openInvokeApi(new Map([['probe', lambda]]));
  const client = new LambdaClient({
    endpoint: api.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  return {
    lambda,
    client,
    /** The lines that it wrote. */
    lines,
    /** The same without the console's prefix of time, request and level. */
    messages,
    invoke: (event: unknown = {}) => invoke(client, event),
    stream: (event: unknown = {}) => stream(client, event),
    leftovers: () => readdir(temporary),
    async [Symbol.asyncDispose]() {
      client.destroy();
      await lambda.stop();
      await api[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}

async function invoke(client: LambdaClient, event: unknown) {
  const answer = await client.send(
    new InvokeCommand({ FunctionName: 'probe', Payload: JSON.stringify(event) }),
  );
  const payload = JSON.parse(answer.Payload?.transformToString() ?? 'null') as Record<string, unknown>;
  return { payload, functionError: answer.FunctionError };
}

async function stream(client: LambdaClient, event: unknown) {
  const answer = await client.send(
    new InvokeWithResponseStreamCommand({ FunctionName: 'probe', Payload: JSON.stringify(event) }),
  );
  const chunks: Uint8Array[] = [];
  let errorCode: string | undefined;
  for await (const { PayloadChunk, InvokeComplete } of answer.EventStream ?? []) {
    if (PayloadChunk?.Payload) chunks.push(PayloadChunk.Payload);
    errorCode ??= InvokeComplete?.ErrorCode;
  }
  return { bytes: Buffer.concat(chunks), errorCode };
}

/** True once none of these processes runs; a zombie does not count as running. */
export async function areGone(pids: number[]): Promise<boolean> {
  const running = (await processes()).filter(({ isZombie }) => !isZombie);
  return !running.some(({ pid }) => pids.includes(pid));
}
