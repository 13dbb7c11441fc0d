/**
 * Serves pages with the native client's fetch, and nothing else. Prints its port, and ends with its parent.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetch } from 'wreq-js';

const server = createServer((request, response) => {
  const target = decodeURIComponent(request.url?.slice(1) ?? '');
  const fetched = fetch(target, { browser: 'chrome_149' }).then((answer) => answer.arrayBuffer());
  fetched.then(
    (bytes) => response.end(Buffer.from(bytes)),
    () => response.destroy(),
  );
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log((server.address() as AddressInfo).port);
process.stdin.resume().on('close', () => process.exit());
