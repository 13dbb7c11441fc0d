/** dynalite in a process and a folder of its own, as millions of items are too many for memory. Prints its port. */
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
// Only then has it let go of its files.
const closed = new Promise<void>((resolve) => {
  server.close(() => resolve());
});
server.closeAllConnections();
await closed;
