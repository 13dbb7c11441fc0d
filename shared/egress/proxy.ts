import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { forward, afterPipelined, MAX_HEADER_BYTES } from './forward.ts';
import { joinSockets } from './join-sockets.ts';
import { type ProxyTarget, readTarget, type HostAndPort } from './read-target.ts';
import { upgrade } from './upgrade.ts';

export type Way = {
  /** Throws if the target may not or cannot be reached. */
  open: (target: ProxyTarget, client: Socket) => Promise<Socket>;
  onFault: (target: ProxyTarget, cause: unknown) => void;
  onResponse?: (target: ProxyTarget, request: IncomingMessage, response: IncomingMessage) => void;
};

/** More than a browser opens to one proxy; further ones are dropped. */
const MAX_CLIENT_CONNECTIONS = 256;
const HEADERS_TIMEOUT_MS = 10_000;
const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n';
const REFUSED = 'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n';

/** The response to the last plain request of each client connection. */
const latest = new WeakMap<Socket, ServerResponse>();

/** Sends no text of its own, which could pass for a page: a refused request gets a closed connection. */
export function createProxy(way: Way): Server {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // Never closes an idle client: a close that races with a request would look like a fault.
    keepAliveTimeout: 0,
    requireHostHeader: false,
  });
  server.maxConnections = MAX_CLIENT_CONNECTIONS;
  // Their total size is limited, not their number.
  server.maxHeadersCount = 0;
  const serve = (request: IncomingMessage, response: ServerResponse) => void exchange(way, request, response);
  server.on('request', serve);
  // Requests to which Node would respond itself.
  server.on('checkContinue', serve).on('checkExpectation', serve);
  server.on('clientError', (_, client: Socket) => void untilAnswered(client).then(() => client.destroy()));
  server.on(
    'connect',
    (request, client: Socket, head) => void tunnel(way, request, ignoringErrors(client), head),
  );
  server.on(
    'upgrade',
    (request, client: Socket, head) => void change(way, request, ignoringErrors(client), head),
  );
  return server;
}

async function tunnel(way: Way, request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
  const target = readTarget(request);
  await untilAnswered(client);
  const socket = await connection(way, target, client);
  if (!socket) return void client.end(REFUSED);
  client.write(ESTABLISHED);
  if (head.length > 0) socket.write(head);
  joinSockets(client, socket);
}

async function exchange(way: Way, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const client = request.socket;
  latest.set(client, response);
  const target = readTarget(request);
  const socket = takeKept(client, target) ?? (await connection(way, target, client));
  if (!target || !socket) {
    afterPipelined(response, () => client.destroy());
    return;
  }
  forward(
    { request, response, path: target.path, socket },
    {
      onResponse: (incoming) => way.onResponse?.(target, request, incoming),
      onFault: (cause) => way.onFault(target, cause),
      onFree: () => keep(client, target, socket),
    },
  );
}

async function change(way: Way, request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
  const target = readTarget(request);
  await untilAnswered(client);
  const socket = await connection(way, target, client);
  if (!target || !socket) return void client.destroy();
  // Already in the new protocol, it waits for the target's consent.
  if (head.length > 0) client.unshift(head);
  upgrade({ request, client, path: target.path, socket }, (cause) => way.onFault(target, cause));
}

/** What a tunnel writes must not precede the response to an earlier request. */
async function untilAnswered(client: Socket): Promise<void> {
  const response = latest.get(client);
  if (response && !response.closed && !client.destroyed)
    await new Promise((resolve) => response.once('close', resolve));
}

async function connection(
  way: Way,
  target: ProxyTarget | undefined,
  client: Socket,
): Promise<Socket | undefined> {
  if (!target) return undefined;
  const socket = await way.open(target, client).catch(() => undefined);
  if (!client.destroyed) return socket;
  socket?.destroy();
  return undefined;
}

/** The server has detached from this socket, and an unhandled error would end the process. */
function ignoringErrors<S extends Duplex>(client: S): S {
  return client.on('error', () => undefined);
}

type Kept = { target: HostAndPort; socket: Socket; end: () => void };

const kept = new WeakMap<Socket, Kept>();

/** Keeps an idle connection for the next plain request of the same client connection. */
function keep(client: Socket, target: HostAndPort, socket: Socket): void {
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

function takeKept(client: Socket, wanted: ProxyTarget | undefined): Socket | undefined {
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
