import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import dynalite from 'dynalite';
import { buildApp } from 'fauxqs';
import { isDiskFull } from './disk-full.ts';
import { keptStores } from './kept-stores.ts';
import { listen } from './listen.ts';
import { honourPresignedUrls } from './presigned-urls.ts';
import { keepTraceHeaders } from './trace-headers.ts';
import { REGION } from './template/physical.ts';

/** Waits a second at most for requests under way. */
const [LOOK_MS, MAX_LOOKS] = [10, 100];

export type Emulators = { dynamodb: string; sqs: string; s3: string } & AsyncDisposable;

/** Starts DynamoDB, SQS and S3 on loopback, in memory or with their data in a folder. */
export async function startEmulators(folder?: string): Promise<Emulators> {
  await using stack = new AsyncDisposableStack();
  const dynamodb = stack.use(await startDynamodb(folder));
  const kept =
    folder === undefined ? undefined : stack.use(await keptStores(join(folder, 'queues-and-objects')));
  const queuesAndObjects = buildApp({ logger: false, defaultRegion: REGION, ...kept });
  honourPresignedUrls(queuesAndObjects);
  keepTraceHeaders(queuesAndObjects);
  queuesAndObjects.addHook('onError', (_request, _reply, error, done) => {
    // As dynalite does: what it has only in memory would be lost.
    if (isDiskFull(error)) setImmediate(() => raise(error));
    done();
  });
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

function raise(error: Error): never {
  throw error;
}

async function startDynamodb(folder?: string) {
  const path = folder === undefined ? {} : { path: join(folder, 'tables') };
  const server = dynalite({ createTableMs: 0, ...path });
  // A killed function aborts its request: dynalite would throw, and end the whole stack.
  server.on('request', (request) => {
    request.removeAllListeners('error').on('error', () => undefined);
  });
  let underWay = 0;
  server.prependListener('request', (_, response) => {
    underWay += 1;
    const end = response.end.bind(response) as () => typeof response;
    // Also called for a client that has gone.
    response.end = (...chunks: []) => {
      underWay -= 1;
      return end(...chunks);
    };
  });
  const { url, ...listening } = await listen(server);
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      // A request that finds its database closed would end the process.
      for (let looks = 0; underWay > 0 && looks < MAX_LOOKS; looks += 1) await setTimeout(LOOK_MS);
      await listening[Symbol.asyncDispose]();
    },
  };
}
