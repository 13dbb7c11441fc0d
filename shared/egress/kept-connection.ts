import type { Socket } from 'node:net';
import type { ProxyTarget, HostAndPort } from './read-target.ts';

type Kept = { target: HostAndPort; socket: Socket; end: () => void };

const kept = new WeakMap<Socket, Kept>();

/** Keeps an idle connection for the next plain request of the same client connection. */
export function keep(client: Socket, target: HostAndPort, socket: Socket): void {
  const end = () => void socket.destroy();
  if (client.destroyed || kept.has(client)) {
    end();
    return;
  }
  client.once('close', end);
  // Unsolicited bytes must not become the next response.
  socket.once('data', end);
  kept.set(client, { target, socket, end });
}

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
