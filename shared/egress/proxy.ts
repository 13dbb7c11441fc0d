import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { forward, MAX_HEADER_BYTES } from './forward.ts';
import { joinSockets } from './join-sockets.ts';
import { keep, takeKept } from './kept-connection.ts';
import { type ProxyTarget, readTarget } from './read-target.ts';
import { upgrade } from './upgrade.ts';

/** How a proxy reaches targets for its clients. */
export type Way = {
  /** A connection to the target. Throws if it may not or cannot be connected to. */
  open: (target: ProxyTarget, client: Socket) => Promise<Socket>;
  /** A target that was connected to gave no response. */
  onFault: (target: ProxyTarget, cause: unknown) => void;
};

/** More than a browser opens to one proxy; the rest is dropped. */
const MAX_CLIENT_CONNECTIONS = 256;
const HEADERS_TIMEOUT_MS = 10_000;
const ESTABLISHED = 'HTTP/1.1 200 Connection Established\r\n\r\n';
const REFUSED = 'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n';

/** An HTTP proxy without words of its own, which could pass for a page: a refused tunnel gets a bare status, a request nothing. */
export function createProxy(way: Way): Server {
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // The client lives no longer than the proxy; closing while it reuses a connection would look like a fault.
    keepAliveTimeout: 0,
    requireHostHeader: false,
  });
  server.maxConnections = MAX_CLIENT_CONNECTIONS;
  // Their bytes are limited, not their number.
  server.maxHeadersCount = 0;
  const serve = (request: IncomingMessage, response: ServerResponse) => void exchange(way, request, response);
  server.on('request', serve);
  // What Node would answer by itself.
  server.on('checkContinue', serve).on('checkExpectation', serve);
  server.on('clientError', (_error, client) => void client.destroy());
  server.on('connect', (request, client: Socket, head) => void tunnel(way, request, hushed(client), head));
  server.on('upgrade', (request, client: Socket, head) => void change(way, request, hushed(client), head));
  return server;
}

async function tunnel(way: Way, request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
  const target = readTarget(request);
  const socket = await connection(way, target, client);
  if (!socket) return void client.end(REFUSED);
  client.write(ESTABLISHED);
  if (head.length > 0) socket.write(head);
  joinSockets(client, socket);
}

async function exchange(way: Way, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const client = request.socket;
  const target = readTarget(request);
  const socket = takeKept(client, target) ?? (await connection(way, target, client));
  if (!target || !socket) return void client.destroy();
  forward(
    { request, response, path: target.path, socket },
    { onFault: (cause) => way.onFault(target, cause), onFree: () => keep(client, target, socket) },
  );
}

async function change(way: Way, request: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
  const target = readTarget(request);
  const socket = await connection(way, target, client);
  if (!target || !socket) return void client.destroy();
  // It is in the other protocol, and waits for the target's consent.
  if (head.length > 0) client.unshift(head);
  upgrade({ request, client, path: target.path, socket }, (cause) => way.onFault(target, cause));
}

/** Undefined if there is none, or no client any more. */
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

/** The server no longer hears this socket; an error that nobody hears would end the process. */
function hushed<S extends Duplex>(client: S): S {
  return client.on('error', () => undefined);
}
