import { createServer, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { PrepareRequestFunctionResult } from 'proxy-chain';

/** What proxy-chain is told of a CONNECT whose target is connected to already: bytes both ways, nothing else. */
export function tunnel(request: IncomingMessage, socket: Socket): PrepareRequestFunctionResult {
  // Never listens: the proxy wants a server to hand the connection to.
  const gate = createServer().removeAllListeners('connection');
  // What the target says first waits for the client.
  socket.pause();
  gate.once('connection', (client: Socket) => client.pipe(socket).pipe(client));
  request.socket.once('close', () => socket.destroy());
  socket.once('close', () => request.socket.resume().end());
  return { customConnectServer: gate };
}
