import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { sendOn } from './forward.ts';
import { joinSockets } from './join-sockets.ts';
import { passedHeaders, withConnection } from './passed-headers.ts';

type Upgrade = { request: IncomingMessage; client: Socket; path: string; socket: Socket };

export function upgrade({ request, client, path, socket }: Upgrade, onFault: (cause: unknown) => void): void {
  const asked = ['Connection', 'Upgrade', 'Upgrade', request.headers.upgrade ?? ''];
  const sent = sendOn(request, path, socket, asked);
  let hasResponse = false;
  let fault: unknown;
  sent.once('upgrade', (incoming, _socket, head) => {
    hasResponse = true;
    client.write(headOf(incoming, ['Connection', 'Upgrade', 'Upgrade', incoming.headers.upgrade ?? '']));
    if (head.length > 0) client.write(head);
    joinSockets(client, socket);
  });
  sent.once('response', (incoming) => {
    hasResponse = true;
    client.write(headOf(incoming, ['Connection', 'close']));
    incoming.pipe(client);
    incoming.on('error', () => client.destroy());
  });
  sent.on('error', (cause) => (fault = cause));
  sent.once('close', () => {
    if (hasResponse || client.destroyed) return;
    onFault(fault);
    client.destroy();
  });
  client.once('close', () => socket.destroy());
  sent.end();
}

function headOf({ statusCode = 0, rawHeaders }: IncomingMessage, connection: readonly string[]): Buffer {
  const headers = withConnection(passedHeaders(rawHeaders), connection);
  const lines = headers.map((part, index) => (index % 2 === 0 ? `${part}: ` : `${part}\r\n`));
  return Buffer.from(`HTTP/1.1 ${statusCode} \r\n${lines.join('')}\r\n`, 'latin1');
}
