import dynalite from 'dynalite';
import { buildApp } from 'fauxqs';
import { listen } from './listen.ts';
import { honourPresignedUrls } from './presigned-urls.ts';
import { REGION } from './template/physical.ts';

/** Where the services of AWS are on this machine, as URLs. */
export type Emulators = { dynamodb: string; sqs: string; s3: string } & AsyncDisposable;

/** DynamoDB, SQS and S3 in memory, on loopback only. */
export async function startEmulators(): Promise<Emulators> {
  await using stack = new AsyncDisposableStack();
  const dynamodb = stack.use(await startDynamodb());
  const queuesAndObjects = buildApp({ logger: false, defaultRegion: REGION });
  honourPresignedUrls(queuesAndObjects);
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
  return listen(server);
}
