import type { Socket } from 'node:net';

/** Carries bytes both ways until both sides have ended. Either may end first; the target's reset stays a reset. */
export function joinSockets(client: Socket, target: Socket): void {
  target.allowHalfOpen = true;
  client.pipe(target).pipe(client);
  client.once('close', () => target.destroy());
  // Read to its end: closing with unread bytes would be a reset, and lose what is on its way to the client.
  target.once('close', (hadError) => (hadError ? resetSoon(client) : client.resume().end()));
}

/** Resets a connection once all that was written before has left. */
export function resetSoon(socket: Socket): void {
  if (socket.writable) socket.write('', () => socket.resetAndDestroy());
}
