import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listen, type Listening } from './listen.ts';

export type Port = Listening & { server: Server; port: number };

/**
 * Listens on a port, or on any free one for 0, and returns 503 until a gateway serves it. It is opened
 * first, because functions need the URL before they start, and another program could take the port.
 */
export async function openPort(port: number, host?: string, variable = 'PORT'): Promise<Port> {
  const server = createServer({ requestTimeout: 0 }, (_, response) => sendStarting(response));
  const listening = await listen(server, port, host).catch((cause: unknown) => {
    throw new Error(explain(cause, port, host, variable), { cause });
  });
  return { ...listening, server, port: (server.address() as AddressInfo).port };
}

function sendStarting(response: ServerResponse): void {
  response
    .writeHead(503, { 'Content-Type': 'text/plain', 'Retry-After': '2' })
    .end('Sitefetch is starting.\n');
}

function explain(cause: unknown, port: number, host: string | undefined, variable: string): string {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return `Port ${port} is already in use. Set ${variable} to another.`;
  if (code === 'EADDRNOTAVAIL') return `HOST=${host} is not an address of this machine.`;
  if (code === 'EACCES') return `Port ${port} needs root. Set ${variable} to one above 1023.`;
  return `The service cannot listen on HOST=${host}, ${variable}=${port}: ${String(cause)}`;
}
