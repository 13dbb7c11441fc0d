import { once } from 'node:events';
import { createServer } from 'node:http';

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
