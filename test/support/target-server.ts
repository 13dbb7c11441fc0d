import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url));

export type Listening = {
  /** `127.0.0.1:<port>`, as an entry of an egress policy's `allow`. */
  host: string;
  port: number;
  /** Connections taken, with or without a request on them. */
  connections: () => number;
  [Symbol.asyncDispose]: () => Promise<void>;
};

type Place = { address?: string; port?: number };

/** A web server on loopback, that the tests' pages live on. */
export async function targetServer(handler: RequestListener, place?: Place) {
  const server = await listening(createHttp({ maxHeaderSize: 65_536 }, handler), place);
  return { ...server, origin: `http://${server.host}` };
}

/** The same behind a certificate for localhost and *.example.com, from an authority nobody trusts unless told to. */
export async function tlsServer(handler: RequestListener, place?: Place) {
  const tls = { key: fixture('key.pem'), cert: fixture('cert.pem') };
  const server = await listening(createHttps(tls, handler), place);
  return { ...server, origin: `https://${server.host}` };
}

/** A server that speaks whatever `talk` says, HTTP or not. */
export async function rawServer(talk: (socket: Socket) => void, place?: Place) {
  const server = await listening(createTcp(talk), place);
  return { ...server, origin: `http://${server.host}` };
}

/** Answers every request with the same bytes, then closes. */
export function saying(response: string | Buffer) {
  return rawServer((socket) => socket.once('data', () => socket.end(response)));
}

/** Something private that nothing may reach. */
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
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      open.forEach((socket) => socket.destroy());
      await closed;
    },
  };
}
