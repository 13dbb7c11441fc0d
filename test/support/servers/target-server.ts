import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTls, type SecureContextOptions } from 'node:tls';

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url));
export const certificate = () => ({ key: fixture('key.pem'), cert: fixture('cert.pem') });

export type Listening = {
  /** `127.0.0.1:<port>`, as an entry of an egress policy's `allow`. */
  host: string;
  port: number;
  /** Accepted connections, with or without a request. */
  connections: () => number;
  /** The open ones among them. */
  open: () => number;
  [Symbol.asyncDispose]: () => Promise<void>;
};

const MAX_HEADER_BYTES = 65_536;

export type Place = { address?: string; port?: number };

/** A web server on loopback for the tests' pages. */
export async function targetServer(handler: RequestListener, place?: Place) {
  const server = await listening(createHttp({ maxHeaderSize: MAX_HEADER_BYTES }, handler), place);
  return { ...server, origin: `http://${server.host}` };
}

/** The same with a certificate for localhost and *.example.com. Its authority is not trusted by default. */
export async function tlsServer(
  handler: RequestListener,
  place?: Place,
  tls: SecureContextOptions = certificate(),
) {
  const server = await listening(createHttps({ maxHeaderSize: MAX_HEADER_BYTES, ...tls }, handler), place);
  return { ...server, origin: `https://${server.host}` };
}

/** Certificates of one authority, except the last. Only the first is valid for localhost. */
export const CERTIFICATES = ['sound', 'expired', 'other-host', 'self-signed'] as const;

/** The same behind one of them. */
export function tlsServerWith(name: (typeof CERTIFICATES)[number], handler: RequestListener, place?: Place) {
  const tls = { key: fixture('variants/key.pem'), cert: fixture(`variants/${name}.pem`) };
  return tlsServer(handler, place, tls);
}

/** A server that runs `talk` on each connection, HTTP or not. */
export async function rawServer(talk: (socket: Socket) => void, place?: Place) {
  const server = await listening(createTcp(talk), place);
  return { ...server, origin: `http://${server.host}` };
}

/** The same behind the certificate. */
export async function rawTlsServer(talk: (socket: Socket) => void, place?: Place) {
  const server = await listening(createTls(certificate(), talk), place);
  return { ...server, origin: `https://${server.host}` };
}

/** An HTTP/2 server without a limit on the headers that it sends. */
export async function http2Server(answer: (stream: ServerHttp2Stream, rawHeaders: string[]) => void) {
  const unlimited = { maxSendHeaderBlockLength: 2 ** 30, ...certificate() };
  const http2 = createSecureServer(unlimited).on('sessionError', () => undefined);
  http2.on('stream', (stream: ServerHttp2Stream, _: unknown, __: unknown, rawHeaders: string[]) =>
    answer(
      stream.on('error', () => undefined),
      rawHeaders,
    ),
  );
  const server = await listening(http2);
  return { ...server, origin: `https://${server.host}` };
}

/** Sends the same bytes to every request, then closes. */
export function saying(response: string | Buffer) {
  return rawServer((socket) => socket.once('data', () => socket.end(response)));
}

/** A private server that nothing may reach. */
export function canary(place?: Place) {
  return rawServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nsecret'), place);
}

async function listening(
  server: Server,
  { address = '127.0.0.1', port = 0 }: Place = {},
): Promise<Listening> {
  const open = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket.on('error', () => undefined).once('close', () => open.delete(socket)));
  });
  server.listen(port, address);
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port;
  return {
    host: `${address.includes(':') ? `[${address}]` : address}:${bound}`,
    port: bound,
    connections: () => connections,
    open: () => open.size,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      open.forEach((socket) => socket.destroy());
      await closed;
    },
  };
}
