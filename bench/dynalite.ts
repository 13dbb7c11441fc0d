/** dynalite in its own process and folder: millions of items do not fit into memory. Prints its port. */
import type { AddressInfo } from 'node:net';
import { mkdtempDisposable } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import dynalite from 'dynalite';

await using folder = await mkdtempDisposable(join(tmpdir(), 'sitefetch-dynalite-'));
const server = dynalite({ createTableMs: 0, path: folder.path }).listen(0, '127.0.0.1');
await once(server, 'listening');
console.log((server.address() as AddressInfo).port);
await once(process, 'SIGTERM');
// It holds its files until then.
const closed = new Promise<void>((resolve) => {
  server.close(() => resolve());
});
server.closeAllConnections();
await closed;
