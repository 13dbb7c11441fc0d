import { type ClientRequest, type IncomingMessage, request as send, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { nextTick } from 'node:process';
import type { Duplex } from 'node:stream';
import { asBrowsersRead } from './as-browsers-read.ts';
import { resetSoon } from './join-sockets.ts';
import { passedHeaders, withConnection } from './passed-headers.ts';

/** Chromium's own limit for all headers of a message together. */
export const MAX_HEADER_BYTES = 262_144;
const KEEP_ALIVE = ['Connection', 'keep-alive'];

type Exchange = { request: IncomingMessage; response: ServerResponse; path: string; socket: Socket };

type Outcome = {
  onResponse: (incoming: IncomingMessage) => void;
  onFault: (cause: unknown) => void;
  onFree: () => void;
};

/** A cut-off or reset response is cut off or reset for the client too. */
export function forward(
  { request, response, path, socket }: Exchange,
  { onResponse, onFault, onFree }: Outcome,
): void {
  const client = request.socket;
  const { duplex, release } = asBrowsersRead(socket, MAX_HEADER_BYTES);
  const sent = sendOn(request, path, duplex, KEEP_ALIVE);
  sent.shouldKeepAlive = true;
  let hasResponse = false;
  let fault: unknown;
  sent.once('response', (incoming) => {
    // Whatever a target sends, such as a status below 100, must not end this process.
    try {
      onResponse(incoming);
      passBack(incoming, response, sent);
      hasResponse = true;
    } catch (cause) {
      sent.destroy(cause as Error);
    }
  });
  sent.once('continue', () => request.headers.expect !== undefined && response.writeContinue());
  sent.on('error', (cause) => (fault = cause));
  sent.once('close', () => {
    release();
    if (hasResponse && socket.writable) onFree();
    if (hasResponse || client.destroyed) return;
    onFault(fault);
    afterPipelined(response, () => client.destroy());
  });
  response.once('close', () => sent.destroy());
  passBody(request, sent);
}

/** Ends a client once its earlier requests have their responses, which must not be cut off. */
export function afterPipelined(response: ServerResponse, end: () => void): void {
  if (response.socket) end();
  else response.once('socket', () => nextTick(end));
}

export function sendOn(
  { method, rawHeaders }: IncomingMessage,
  path: string,
  socket: Duplex,
  connection: readonly string[],
): ClientRequest {
  const sent = send({
    createConnection: () => socket,
    method,
    path,
    headers: withConnection(passedHeaders(rawHeaders), connection),
    insecureHTTPParser: true,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  // Their total size is limited, not their number.
  sent.maxHeadersCount = 0;
  return sent;
}

function passBody(request: IncomingMessage, sent: ClientRequest): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (length === undefined && encoding === undefined) return void sent.end();
  request.once('end', () => sent.addTrailers(trailersOf(request)));
  request.pipe(sent);
  // Sends the head with the first bytes of the body, as the client did.
  setImmediate(() => sent.flushHeaders());
  // If the response comes first, the rest of the body must not precede the next request.
  sent.once('close', () => request.resume());
}

function passBack(incoming: IncomingMessage, response: ServerResponse, sent: ClientRequest): void {
  const client = response.req.socket;
  response.sendDate = false;
  // Drops the reason phrase, which clients ignore: https://www.rfc-editor.org/rfc/rfc9112#section-4
  response.writeHead(incoming.statusCode ?? 0, '', passedHeaders(incoming.rawHeaders));
  let isReset = false;
  sent.on('error', () => {
    if (incoming.complete) return;
    isReset = true;
    // Node treats a reset as the end of a body without a length.
    incoming.unpipe(response);
    afterPipelined(response, () => resetSoon(client));
  });
  // It ended too early, so the client's response must too.
  incoming.on('error', () => !isReset && afterPipelined(response, () => client.destroySoon()));
  incoming.once('end', () => response.addTrailers(trailersOf(incoming)));
  incoming.pipe(response);
}

function trailersOf({ rawTrailers }: IncomingMessage): [string, string][] {
  const trailers = passedHeaders(rawTrailers);
  return trailers.flatMap((name, index) => (index % 2 === 0 ? [[name, trailers[index + 1] ?? '']] : []));
}
