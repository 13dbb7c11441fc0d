import { once, setMaxListeners } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import type { TimeoutPhase } from '../contract/error-body.ts';
import { AppError, toAppError } from '../errors.ts';
import type { EgressPolicy } from './decide.ts';
import { type Dialler, openDialler } from './dialler.ts';
import { openFaults } from './faults.ts';
import { openProgress } from './progress.ts';
import { createProxy, type Way } from './proxy.ts';
import type { ProxyTarget } from './read-target.ts';
import { watchTraffic } from './traffic.ts';

/** The only way out: an HTTP proxy on loopback that judges every connection at the address it dials. */
export type Guard = Pick<Dialler, 'goThrough' | 'setHostFilter'> & {
  url: string;
  /** Why the last connection to that origin failed or was refused. */
  faultOf: (url: string) => AppError | undefined;
  /** What the last connection to that origin is waiting for. */
  phaseOf: (url: string) => TimeoutPhase;
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
  const progress = openProgress();
  const traffic = watchTraffic();
  const { judge, connect, goThrough, setHostFilter } = openDialler(policy, closing.signal);

  async function open(target: ProxyTarget, client: Socket): Promise<Socket> {
    try {
      progress.enter(target, 'dns');
      const verdict = await judge(target, port);
      if (traffic.isFull()) throw new AppError('response_too_large');
      progress.enter(target, 'connect');
      const socket = await connect(target, verdict);
      progress.enter(target, socket);
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

  const { port, closeServer } = await listen({
    open,
    onFault: (target, cause) => faults.record(target, new AppError('bad_upstream_response', { cause })),
  });

  async function close() {
    closing.abort(CLOSED);
    traffic.close();
    await closeServer();
  }
  return {
    url: `http://127.0.0.1:${port}`,
    faultOf: (url) => faults.of(url),
    phaseOf: (url) => progress.phaseOf(url),
    goThrough,
    setHostFilter,
    bytes: () => traffic.bytes(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function listen(way: Way): Promise<{ port: number; closeServer: () => Promise<void> }> {
  const proxy = createProxy(way);
  const clients = new Set<Socket>();
  proxy.on('connection', (client) => clients.add(client.once('close', () => clients.delete(client))));
  proxy.listen(0, '127.0.0.1');
  // An idle guard must not keep the process alive.
  await once(proxy.unref(), 'listening');
  const { port } = proxy.address() as AddressInfo;
  async function closeServer() {
    clients.forEach((client) => client.destroy());
    await new Promise((done) => proxy.close(done));
  }
  return { port, closeServer };
}
