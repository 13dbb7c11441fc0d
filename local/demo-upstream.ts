import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { decide, type EgressPolicy } from '../shared/egress/decide.ts';
import { dial } from '../shared/egress/dial.ts';
import { joinSockets } from '../shared/egress/join-sockets.ts';
import { readTarget } from '../shared/egress/read-target.ts';

/** A premium proxy for trials: `url` is a template with credentials, in the form that vendors use. */
type DemoUpstream = { url: string } & AsyncDisposable;

const USER = 'demo-country-{country}-session-{session}';
const KNOWN_USER = /^demo-country-([a-z]{2})?-session-[0-9a-f]+$/;
const UNAUTHENTICATED =
  'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="demo"\r\nContent-Length: 0\r\n\r\n';

/**
 * Starts a proxy on a free port of loopback. It has no exit address of its own, and judges targets like the
 * guard.
 */
export async function startDemoUpstream(policy: EgressPolicy): Promise<DemoUpstream> {
  const secret = randomBytes(16).toString('hex');
  const closing = new AbortController();
  const clients = new Set<Socket>();
  const server = createServer((request) => request.socket.destroy());

  async function tunnel(request: IncomingMessage, client: Socket): Promise<void> {
    const { username, password } = credentials(request);
    if (password !== secret || !KNOWN_USER.test(username)) return void client.end(UNAUTHENTICATED);
    const target = readTarget(request);
    if (target?.isPlain !== true) return void client.destroy();
    // It resolves names again, so it judges again: the address that is dialled must be the one judged.
    const verdict = await decide(target.host, target.port, policy, closing.signal);
    const socket = await dial(verdict, closing.signal);
    client.write('HTTP/1.1 200 OK\r\n\r\n');
    joinSockets(client, socket);
  }
  server.on('connect', (request, client: Socket) => {
    client.on('error', () => undefined);
    tunnel(request, client).catch(() => client.destroy());
  });
  server.on('connection', (client) => clients.add(client.once('close', () => clients.delete(client))));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://${USER}:${secret}@127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      closing.abort();
      clients.forEach((client) => client.destroy());
      await new Promise((done) => server.close(done));
    },
  };
}

function credentials({ headers }: IncomingMessage): { username: string; password: string } {
  const [, encoded = ''] = (headers['proxy-authorization'] ?? '').split(' ');
  const [username = '', password = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  return { username, password };
}
