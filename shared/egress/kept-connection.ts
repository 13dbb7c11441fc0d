import { subscribe } from 'node:diagnostics_channel';
import { Agent, type ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import type { Target } from './read-target.ts';

/** A connection to a target, and the agent that sends one request at a time over it. */
export type Connection = { socket: Socket; agent: Agent };

type Kept = Connection & { target: Target; close: () => void };

/** As many as Chromium takes, for all headers of a request or an answer together. */
export const MAX_HEADER_BYTES = 262_144;

const kept = new WeakMap<Socket, Kept>();
const agents = new WeakSet<object>();

/**
 * A connection that is open already, for the plain HTTP requests that one client connection makes of one target: what a
 * browser asks there over one connection goes on over one, and nobody else's ever does.
 */
export function keepFor(client: Socket, target: Target, socket: Socket): Connection {
  const agent = new Agent({ keepAlive: true });
  agents.add(agent);
  agent.createConnection = () => socket;
  // Asked once an answer is whole, unless the target has said that it closes.
  agent.keepSocketAlive = () => {
    if (client.destroyed || kept.has(client)) return false;
    const close = () => socket.destroy();
    client.once('close', close);
    kept.set(client, { target, socket, agent, close });
    return true;
  };
  return { socket, agent };
}

/** Takes the connection that the client's last request has left, if it went to the same target and is still open. */
export function takeKept(client: Socket, { host, port }: Target): Connection | undefined {
  const connection = kept.get(client);
  if (!connection) return undefined;
  const { target, socket, close } = connection;
  kept.delete(client);
  client.off('close', close);
  if (target.host === host && target.port === port && socket.writable) return connection;
  close();
  return undefined;
}

/** An agent has no such option, and the proxy makes the requests: https://nodejs.org/api/diagnostics_channel.html#http */
subscribe('http.client.request.created', (message) => {
  const { request } = message as { request: ClientRequest & { agent?: object } };
  if (request.agent && agents.has(request.agent)) Object.assign(request, { maxHeaderSize: MAX_HEADER_BYTES });
});
