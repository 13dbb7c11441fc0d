import type { Socket } from 'node:net';

/** Pipes both ways until both sides have ended. The target's reset resets the client. */
export function joinSockets(client: Socket, target: Socket): void {
  target.allowHalfOpen = true;
  client.pipe(target).pipe(client);
  client.once('close', () => target.destroy());
  // Drains the client: closing with unread bytes would reset it and lose what was written.
  target.once('close', (hadError) => (hadError ? resetSoon(client) : client.resume().end()));
}

/** Resets a connection after its pending writes. */
export function resetSoon(socket: Socket): void {
  if (socket.writable) socket.write('', () => socket.resetAndDestroy());
}
