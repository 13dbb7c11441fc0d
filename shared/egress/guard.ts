import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Server, type PrepareRequestFunctionResult } from 'proxy-chain';
import { AppError, toAppError } from '../errors.ts';
import { decide, type EgressPolicy } from './decide.ts';
import { dial } from './dial.ts';
import { openFaults } from './faults.ts';
import { type Connection, keepFor, MAX_HEADER_BYTES, takeKept } from './kept-connection.ts';
import { watchTraffic } from './traffic.ts';
import { readTarget, type Target } from './read-target.ts';
import { tunnel } from './tunnel.ts';
import { dialUpstream } from './upstream.ts';
import { watchExchange } from './watch-exchange.ts';

/** The one way out: an HTTP proxy on loopback that judges every connection at the address it dials. */
export type Guard = {
  /** `http://127.0.0.1:<port>`: what a client gets as its proxy. */
  url: string;
  /** Why the last connection to that origin failed or was refused, if it did. */
  faultOf: (url: string) => AppError | undefined;
  /** Sends every later connection through this premium upstream: http, https or socks5 URL with credentials. */
  goThrough: (upstreamUrl: string) => void;
  /** Has this look at the host of every later connection first: it throws to refuse one. */
  refuse: (assertWanted: (host: string) => void) => void;
  /** Bytes on the wire so far, both ways. */
  bytes: () => number;
  /** Destroys every socket. */
  close: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** More than a browser opens to one proxy; the rest is dropped. */
const MAX_CLIENT_CONNECTIONS = 256;
const HEADERS_TIMEOUT_MS = 10_000;
/** Made once, for an error takes its time to gather its stack. */
const CLOSED = new Error('The guard is closed.');
/** Hop-by-hop by custom, and a sign of a proxy: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const PROXY_HEADERS = ['proxy-connection', 'proxy-authorization'];

/** Opens a guard for one scrape. Everything that goes through it is held to `policy`. */
export async function openGuard(policy: EgressPolicy): Promise<Guard> {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const faults = openFaults();
  const traffic = watchTraffic();
  let { upstreamUrl } = policy;
  let assertWanted: Parameters<Guard['refuse']>[0] = () => undefined;

  async function connect(target: Target): Promise<Socket> {
    assertWanted(target.host);
    const verdict = await decide(target.host, target.port, policy, closing.signal);
    if (target.port === server.port && verdict.addresses.some(isLoopback))
      throw new AppError('url_not_allowed');
    if (traffic.isFull()) throw new AppError('response_too_large');
    return upstreamUrl ? dialUpstream(upstreamUrl, target, closing.signal) : dial(verdict, closing.signal);
  }

  async function prepare(request: IncomingMessage): Promise<PrepareRequestFunctionResult> {
    const target = readTarget(request);
    const client = request.socket;
    const fail = (fault: AppError) => faults.record(target, fault);
    const open = async () => {
      const socket = await connect(target);
      faults.clear(target);
      traffic.add(socket, (code) => {
        fail(new AppError(code));
        client.destroy();
      });
      if (client.destroyed || closing.signal.aborted) socket.destroy();
      return socket;
    };
    try {
      if (request.method === 'CONNECT') return tunnel(request, await open());
      const connection = takeKept(client, target) ?? keepFor(client, target, await open());
      return forward(request, connection, fail);
    } catch (error) {
      fail(toAppError(error));
      throw error;
    }
  }

  const server = new Server({
    host: '127.0.0.1',
    port: 0,
    prepareRequestFunction: ({ request }) => prepare(request),
  });
  silence(server);
  await server.listen();
  // One that waits for its scrape keeps no process from ending.
  server.server.unref();

  async function close() {
    closing.abort(CLOSED);
    traffic.close();
    await server.close(true);
  }
  return {
    url: `http://127.0.0.1:${server.port}`,
    faultOf: (url) => faults.of(url),
    goThrough: (url) => void (upstreamUrl = url),
    refuse: (assert) => void (assertWanted = assert),
    bytes: () => traffic.bytes(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Plain HTTP: a request and its response. */
function forward(
  request: IncomingMessage,
  { socket, agent }: Connection,
  fail: (fault: AppError) => void,
): PrepareRequestFunctionResult {
  let isAnswered = false;
  const drop = (cause: unknown) => {
    if (isAnswered || request.socket.destroyed) return;
    fail(new AppError('bad_upstream_response', { cause }));
    request.socket.destroy();
  };
  watchExchange(socket, {
    onError: drop,
    onAnswer: (response) => {
      const { statusCode = 0, headers } = response;
      // A proxy would take 407 for its own affair, and no status is below 100.
      if (statusCode < 100 || statusCode === 407) drop(statusCode);
      isAnswered = true;
      // Of no use to anyone, and Node throws on what it may hold: https://www.rfc-editor.org/rfc/rfc9112#section-4
      response.statusMessage = '';
      // https://www.rfc-editor.org/rfc/rfc9112#section-6.3: where both are given, the chunks count.
      if (headers['transfer-encoding'] !== undefined) dropHeaders(response, ['content-length']);
    },
  });
  dropHeaders(request, PROXY_HEADERS);
  return { httpAgent: agent };
}

/** The proxy passes on what is in `rawHeaders`. */
function dropHeaders({ rawHeaders }: IncomingMessage, names: readonly string[]): void {
  const kept = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && !names.includes(name.toLowerCase()) ? [name, rawHeaders[index + 1] ?? ''] : [],
  );
  rawHeaders.splice(0, Infinity, ...kept);
}

/** The proxy's own words must never pass for a page: a refused tunnel gets a bare status, a refused request nothing. */
function silence(server: Server): void {
  server.sendSocketResponse = (socket) => void socket.destroy();
  server.failRequest = ({ method, socket }) =>
    method === 'CONNECT'
      ? void socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n')
      : void socket.destroy();
  server.server.maxConnections = MAX_CLIENT_CONNECTIONS;
  server.server.headersTimeout = HEADERS_TIMEOUT_MS;
  // An option of the constructor, which is the proxy's own affair, and read for each connection.
  Object.assign(server.server, { maxHeaderSize: MAX_HEADER_BYTES });
  // The client lives no longer than the guard; closing while it reuses a connection would look like a fault.
  server.server.keepAliveTimeout = 0;
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}
