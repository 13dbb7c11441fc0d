import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import dynalite from 'dynalite';
import { buildApp } from 'fauxqs';
import { REGION } from './template/physical.ts';

/** Where the services of AWS are on this machine, as URLs. */
export type Emulators = { dynamodb: string; sqs: string; s3: string } & AsyncDisposable;

/** DynamoDB, SQS and S3 in memory, on loopback only. */
export async function startEmulators(): Promise<Emulators> {
  await using stack = new AsyncDisposableStack();
  const dynamodb = await startDynamodb();
  stack.use(dynamodb);
  const queuesAndObjects = buildApp({ logger: false, defaultRegion: REGION });
  stack.defer(() => queuesAndObjects.close());
  const url = await queuesAndObjects.listen({ port: 0, host: '127.0.0.1' });
  const running = stack.move();
  return {
    dynamodb: dynamodb.url,
    sqs: url,
    s3: url,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function startDynamodb() {
  const server = dynalite({ createTableMs: 0 });
  // dynalite throws when a caller breaks off, which a killed function does: that must not end the stack.
  server.on('request', (request) => {
    request.removeAllListeners('error').on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
      server.closeAllConnections();
      await closed;
    },
  };
}
