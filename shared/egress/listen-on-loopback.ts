import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { createProxy, type Way } from './proxy.ts';

type Listening = { port: number; accept: () => void; closeServer: () => Promise<void> };

/** The proxy on a free port. It drops every client until `accept`; closing it ends its connections. */
export async function listenOnLoopback(way: Way): Promise<Listening> {
  const proxy = createProxy(way);
  const { maxConnections } = proxy;
  proxy.maxConnections = 0;
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
  return { port, accept: () => void (proxy.maxConnections = maxConnections), closeServer };
}
