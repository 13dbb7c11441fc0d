import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The port, or any free one for 0. Throws before anything has started that would have to be stopped. */
export async function freePort(port: number, host: string, variable = 'PORT'): Promise<number> {
  const server = createServer().listen(port, host);
  await once(server, 'listening').catch((cause: unknown) => {
    throw new Error(explain(cause, port, host, variable), { cause });
  });
  const { port: found } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return found;
}

function explain(cause: unknown, port: number, host: string, variable: string): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `Port ${port} is already in use. Set ${variable} to another.`;
  if (code === 'EADDRNOTAVAIL') return `HOST=${host} is not an address of this machine.`;
  return `The service cannot listen on ${host}, port ${port}: ${String(cause)}`;
}
