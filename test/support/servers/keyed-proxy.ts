import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';

/** A proxy that sends a key with every request, for programs that cannot. */
export async function keyedProxy(target: string, key: string) {
  const server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming;
    const forwarded = request(new URL(url, target), {
      method,
      headers: { ...headers, authorization: `Bearer ${key}` },
    });
    forwarded.once('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      pipeline(response, outgoing).catch(() => outgoing.destroy());
    });
    pipeline(incoming, forwarded).catch(() => outgoing.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
