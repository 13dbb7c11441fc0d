import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttp2 } from 'node:http2';
import type { Socket } from 'node:net';
import { Duplex, PassThrough } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { type ClientHello, firstRecord, parseClientHello } from './client-hello.ts';
import { type Http2Opening, parseHttp2Opening } from './http2-frames.ts';
import { certificate, rawServer } from './target-server.ts';

/** What one request revealed of its client. */
export type Sighting = {
  hello: ClientHello;
  /** Absent over HTTP/1.1. */
  http2?: Http2Opening;
  /** Names in the case and order in which they were received. */
  headers: [name: string, value: string][];
};

const PAGE = '<title>page</title>';

/** A TLS server that records what its clients reveal of themselves. */
export async function identityServer(ALPNProtocols = ['h2', 'http/1.1']) {
  const sightings: Sighting[] = [];

  async function meet(socket: Socket): Promise<void> {
    const hello = parseClientHello(await recordOf(socket));
    const tls = new TLSSocket(socket, { isServer: true, ALPNProtocols, ...certificate() });
    tls.on('error', () => socket.destroy());
    await once(tls, 'secure');
    if (tls.alpnProtocol === 'h2') serveHttp2(tls, (seen) => sightings.push({ hello, ...seen }));
    else serveHttp1(tls, (seen) => sightings.push({ hello, ...seen }));
  }
  const server = await rawServer((socket) => void meet(socket).catch(() => socket.destroy()));
  return { ...server, origin: `https://${server.host}`, sightings };
}

/** The first record, left in the socket for the handshake. */
async function recordOf(socket: Socket): Promise<Buffer> {
  let bytes = Buffer.of();
  for (;;) {
    const record = firstRecord(bytes);
    if (record) {
      socket.unshift(bytes);
      return record;
    }
    const chunk = socket.read() as Buffer | null;
    if (chunk) bytes = Buffer.concat([bytes, chunk]);
    else await once(socket, 'readable');
  }
}

function serveHttp1(tls: TLSSocket, report: (seen: Omit<Sighting, 'hello'>) => void): void {
  const http1 = createHttp(({ rawHeaders }, response) => {
    report({ headers: pairs(rawHeaders) });
    response.setHeader('content-type', 'text/html').end(PAGE);
  });
  http1.emit('connection', tls);
}

function serveHttp2(tls: TLSSocket, report: (seen: Omit<Sighting, 'hello'>) => void): void {
  const chunks: Buffer[] = [];
  const readable = tls.pipe(new PassThrough()).on('data', (chunk: Buffer) => void chunks.push(chunk));
  const http2 = createHttp2().on('sessionError', () => tls.destroy());
  http2.on('stream', (stream, _, __, rawHeaders: string[]) => {
    const opening = parseHttp2Opening(Buffer.concat(chunks));
    if (opening) report({ http2: opening, headers: pairs(rawHeaders) });
    stream.respond({ 'content-type': 'text/html' });
    stream.end(PAGE);
  });
  http2.emit('connection', Duplex.from({ readable, writable: tls }));
}

const pairs = (raw: string[]): Sighting['headers'] =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []));
