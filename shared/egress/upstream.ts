import { once } from 'node:events';
import { request } from 'node:http';
import { isIP, isIPv6, type Socket } from 'node:net';
import { lookup } from 'node:dns/promises';
import { connect as connectTls } from 'node:tls';
import { SocksClient } from 'socks';
import { AppError } from '../errors.ts';
import { deadline } from '../time/deadline.ts';
import { dial } from './dial.ts';
import { connected } from './connected.ts';
import type { HostAndPort } from './read-target.ts';

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'socks5:': 1080 };

/** Residential exits take long to connect. */
const UPSTREAM_TIMEOUT_MS = 30_000;

/** The proxy resolves the name. `proxy_failed` has no cause: vendors' errors contain the credentials. */
export async function dialUpstream(
  upstreamUrl: string,
  target: HostAndPort,
  signal: AbortSignal,
): Promise<Socket> {
  let socket: Socket | undefined;
  using time = deadline(UPSTREAM_TIMEOUT_MS, signal);
  const limit = time.signal;
  const abort = () => socket?.destroy(new Error('Given up connecting.'));
  limit.addEventListener('abort', abort, { once: true });
  try {
    const upstream = new URL(upstreamUrl);
    socket = await dialProxy(upstream, limit);
    return await (upstream.protocol === 'socks5:' ? throughSocks : throughConnect)(upstream, socket, target);
  } catch {
    socket?.destroy();
    throw new AppError('proxy_failed');
  } finally {
    limit.removeEventListener('abort', abort);
  }
}

/** The operator configures it, so its address may be private. */
async function dialProxy(upstream: URL, signal: AbortSignal): Promise<Socket> {
  const host = upstream.hostname.replace(/^\[|\]$/g, '');
  const port = Number(upstream.port) || DEFAULT_PORTS[upstream.protocol];
  if (port === undefined) throw new AppError('proxy_failed');
  const found = await lookup(host, { all: true });
  const socket = await dial({ addresses: found.map(({ address }) => address), port }, signal);
  if (upstream.protocol !== 'https:') return socket;
  // SNI carries no addresses: https://www.rfc-editor.org/rfc/rfc6066#section-3
  const servername = isIP(host) ? '' : host;
  return connected(connectTls({ socket, host, servername }), 'secureConnect', 'proxy_failed', signal);
}

async function throughConnect(upstream: URL, socket: Socket, { host, port }: HostAndPort): Promise<Socket> {
  const path = `${host}:${port}`;
  const asked = request({
    method: 'CONNECT',
    path,
    headers: { host: path, ...credentials(upstream) },
    createConnection: () => socket,
  });
  asked.end();
  const [response, tunnel, head] = await (once(asked, 'connect') as Promise<
    [{ statusCode: number }, Socket, Buffer]
  >);
  if (response.statusCode !== 200) throw new AppError('proxy_failed');
  if (head.length > 0) tunnel.unshift(head);
  return tunnel;
}

async function throughSocks(upstream: URL, socket: Socket, { host, port }: HostAndPort): Promise<Socket> {
  const literal = host.replace(/^\[|\]$/g, '');
  const { username, password } = upstream;
  await SocksClient.createConnection({
    proxy: {
      host: upstream.hostname,
      port: Number(upstream.port) || 1080,
      type: 5,
      ...(username !== '' && {
        userId: decodeURIComponent(username),
        password: decodeURIComponent(password),
      }),
    },
    command: 'connect',
    destination: { host: isIPv6(literal) ? literal : host, port },
    existing_socket: socket,
    timeout: UPSTREAM_TIMEOUT_MS,
  });
  return socket;
}

function credentials({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
