/** The least that fetches with impit and answers over HTTP: prints its port, and ends with whoever started it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Impit } from 'impit';

const server = createServer((request, response) => {
  const target = decodeURIComponent(request.url?.slice(1) ?? '');
  const fetched = new Impit({ browser: 'chrome151' }).fetch(target).then((answer) => answer.bytes());
  fetched.then(
    (bytes) => response.end(bytes),
    () => response.destroy(),
  );
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log((server.address() as AddressInfo).port);
process.stdin.resume().on('close', () => process.exit());
