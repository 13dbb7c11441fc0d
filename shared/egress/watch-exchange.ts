import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** How a plain HTTP exchange over one connection went. */
type Exchange = {
  onAnswer: (response: IncomingMessage) => void;
  onError: (error: Error) => void;
};

const ERROR = 'http.client.request.error';
const ANSWER = 'http.client.response.finish';
const CLOSED = new Error('The target closed without an answer.');
const exchanges = new WeakMap<Socket, Exchange>();

/** Reports the answer or the fault of the request sent over this connection, before the proxy reacts to it. */
export function watchExchange(socket: Socket, exchange: Exchange): void {
  if (!exchanges.has(socket)) socket.once('close', () => exchanges.get(socket)?.onError(CLOSED));
  exchanges.set(socket, exchange);
}

function reportError(message: unknown): void {
  const { request, error } = message as { request: ClientRequest; error: Error };
  if (request.socket) exchanges.get(request.socket)?.onError(error);
}

function reportAnswer(message: unknown): void {
  const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
  if (request.socket) exchanges.get(request.socket)?.onAnswer(response);
}

// The proxy keeps its outgoing requests to itself: https://nodejs.org/api/diagnostics_channel.html#http
subscribe(ERROR, reportError);
subscribe(ANSWER, reportAnswer);
