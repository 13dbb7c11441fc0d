import { once, setMaxListeners } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { AppError, toAppError } from '../errors.ts';
import { decide, type EgressPolicy } from './decide.ts';
import { dial } from './dial.ts';
import { openFaults } from './faults.ts';
import { createProxy } from './proxy.ts';
import type { ProxyTarget } from './read-target.ts';
import { watchTraffic } from './traffic.ts';
import { dialUpstream } from './upstream.ts';

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

/** Made once, for an error takes its time to gather its stack. */
const CLOSED = new Error('The guard is closed.');

/** Opens a guard for one scrape. Everything that goes through it is held to `policy`. */
export async function openGuard(policy: EgressPolicy): Promise<Guard> {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const faults = openFaults();
  const traffic = watchTraffic();
  const clients = new Set<Socket>();
  let { upstreamUrl } = policy;
  let assertWanted: Parameters<Guard['refuse']>[0] = () => undefined;

  async function connect(target: ProxyTarget): Promise<Socket> {
    if (!target.isPlain) throw new AppError('url_not_allowed');
    assertWanted(target.host);
    const verdict = await decide(target.host, target.port, policy, closing.signal);
    if (target.port === port && verdict.addresses.some(isLoopback)) throw new AppError('url_not_allowed');
    if (traffic.isFull()) throw new AppError('response_too_large');
    return upstreamUrl ? dialUpstream(upstreamUrl, target, closing.signal) : dial(verdict, closing.signal);
  }

  async function open(target: ProxyTarget, client: Socket): Promise<Socket> {
    try {
      const socket = await connect(target);
      faults.clear(target);
      traffic.add(socket, (code) => {
        faults.record(target, new AppError(code));
        client.destroy();
      });
      if (closing.signal.aborted) socket.destroy();
      return socket;
    } catch (error) {
      faults.record(target, toAppError(error));
      throw error;
    }
  }

  const proxy = createProxy({
    open,
    onFault: (target, cause) => faults.record(target, new AppError('bad_upstream_response', { cause })),
  });
  proxy.on('connection', (client) => clients.add(client.once('close', () => clients.delete(client))));
  proxy.listen(0, '127.0.0.1');
  // One that waits for its scrape keeps no process from ending.
  await once(proxy.unref(), 'listening');
  const { port } = proxy.address() as AddressInfo;

  async function close() {
    closing.abort(CLOSED);
    traffic.close();
    clients.forEach((client) => client.destroy());
    await new Promise((done) => proxy.close(done));
  }
  return {
    url: `http://127.0.0.1:${port}`,
    faultOf: (url) => faults.of(url),
    goThrough: (url) => void (upstreamUrl = url),
    refuse: (assert) => void (assertWanted = assert),
    bytes: () => traffic.bytes(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}
