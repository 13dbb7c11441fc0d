import type { Socket } from 'node:net';
import type { ProxyTarget, Target } from './read-target.ts';

type Kept = { target: Target; socket: Socket; end: () => void };

const kept = new WeakMap<Socket, Kept>();

/** Keeps an idle connection for the next plain request that comes over this client's connection, and for no other. */
export function keep(client: Socket, target: Target, socket: Socket): void {
  const end = () => void socket.destroy();
  if (client.destroyed || kept.has(client)) {
    end();
    return;
  }
  client.once('close', end);
  // What a target says unasked must not answer the next request.
  socket.once('data', end);
  kept.set(client, { target, socket, end });
}

/** Takes the connection that the client's last request left, if it went to the same target and is still open. */
export function takeKept(client: Socket, wanted: ProxyTarget | undefined): Socket | undefined {
  const connection = wanted?.isPlain === true ? kept.get(client) : undefined;
  if (!wanted || !connection) return undefined;
  const { target, socket, end } = connection;
  kept.delete(client);
  client.off('close', end);
  socket.off('data', end);
  if (target.host === wanted.host && target.port === wanted.port && socket.writable) return socket;
  end();
  return undefined;
}
