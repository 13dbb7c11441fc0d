import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on loopback, until it is disposed of. */
export type Listening = { url: string } & AsyncDisposable;

/** Opens a server on loopback, on any free port if none is given. What is left of its connections ends with it. */
export async function listen(server: Server, port = 0): Promise<Listening> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      server.close(() => resolve(undefined));
      server.closeAllConnections();
      await promise;
    },
  };
}

/** Throws while there is still nothing to take down. */
export async function assertPortIsFree(port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening').catch((cause: unknown) => {
    throw new Error(`Port ${port} cannot be had (${String(cause)}). Set PORT to another.`, { cause });
  });
  server.close();
  await once(server, 'close');
}
