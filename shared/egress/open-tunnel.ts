import { request } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:tls';
import { AppError } from '../errors.ts';
import { connected } from './connected.ts';

/** Trusted besides Node's own authorities. */
export type Trust = { ca?: readonly string[] | undefined };

/**
 * A connection to the target for Node's clients. The guard judges the host and connects, as for any other
 * client of its proxy. Throws `connect_failed`.
 */
export function openTunnel(proxyUrl: string, target: URL, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  const path = `${target.hostname}:${port}`;
  const asked = request(proxyUrl, { method: 'CONNECT', path, signal, agent: false });
  asked.once('connect', (response, socket: Socket) => {
    // Stays attached: an unhandled later error would end the process.
    socket.on('error', () => undefined);
    if (response.statusCode === 200) resolve(socket);
    else reject(new AppError('connect_failed'));
  });
  const fail = (cause?: unknown) => reject(new AppError('connect_failed', { cause }));
  asked.once('error', fail).once('close', () => fail());
  asked.end();
  return promise;
}

/**
 * TLS over a tunnel, for HTTP/1.1. Throws `tls_failed`. Give it to a client by `createConnection` alone: with
 * an agent, even `false`, the client would connect by itself, past the guard.
 */
export function secured(
  socket: Socket,
  { hostname }: URL,
  signal: AbortSignal,
  { ca }: Trust = {},
): Promise<Socket> {
  const host = hostname.replace(/^\[|\]$/g, '');
  // SNI carries no addresses: https://www.rfc-editor.org/rfc/rfc6066#section-3
  const isName = /[a-z]/i.test(host) && !host.includes(':');
  const options = { socket, host, ALPNProtocols: ['http/1.1'], ...(isName && { servername: host }) };
  const tls = connect({ ...options, ...(ca && { ca: [...ca] }) });
  return connected(tls, 'secureConnect', 'tls_failed', signal);
}
