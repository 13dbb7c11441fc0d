import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';

/** A listening server, until it is disposed of. */
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
function urlAt(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://${LOOPBACK}:${port}`;
  return `http://${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Throws before anything has been started that would have to be stopped again. */
export async function assertPortIsFree(port: number, host: string): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw new Error(explain(cause, port, host), { cause });
  });
  server.close();
  await once(server, 'close');
}

function explain(cause: unknown, port: number, host: string): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `Port ${port} is already in use. Set PORT to another.`;
  if (code === 'EADDRNOTAVAIL') return `HOST=${host} is not an address of this machine.`;
  return `The service cannot listen on ${host}, port ${port}: ${String(cause)}`;
}
