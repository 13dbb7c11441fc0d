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

/** The only way out: an HTTP proxy on loopback that judges every connection at the address it dials. */
export type Guard = {
  url: string;
  /** Why the last connection to that origin failed or was refused. */
  faultOf: (url: string) => AppError | undefined;
  /** http, https or socks5 URL with credentials, for later connections. */
  goThrough: (upstreamUrl: string) => void;
  /** Checks the host of every later connection; the filter throws to refuse it. */
  setHostFilter: (assertAllowed: (host: string) => void) => void;
  bytes: () => number;
  close: () => Promise<void>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

/** Created once: capturing a stack is slow. */
const CLOSED = new Error('The guard is closed.');

export async function openGuard(policy: EgressPolicy): Promise<Guard> {
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const faults = openFaults();
  const traffic = watchTraffic();
  const clients = new Set<Socket>();
  let { upstreamUrl } = policy;
  let assertAllowed: Parameters<Guard['setHostFilter']>[0] = () => undefined;

  async function connect(target: ProxyTarget): Promise<Socket> {
    if (!target.isPlain) throw new AppError('url_not_allowed');
    assertAllowed(target.host);
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
  // An idle guard must not keep the process alive.
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
    setHostFilter: (assert) => void (assertAllowed = assert),
    bytes: () => traffic.bytes(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}
