import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';

export type Listening = { url: string } & AsyncDisposable;

const LOOPBACK = '127.0.0.1';

/** Listens on a port, by default any free one of loopback. Disposing of it closes its connections too. */
export async function listen(server: Server, port = 0, host = LOOPBACK): Promise<Listening> {
  server.listen(port, host);
  await once(server, 'listening');
  return {
    url: urlAt(host, (server.address() as AddressInfo).port),
    async [Symbol.asyncDispose]() {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      server.close(() => resolve(undefined));
      server.closeAllConnections();
      await promise;
    },
  };
}

/** A server on every address is reached on loopback too. */
export function urlAt(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://${LOOPBACK}:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
