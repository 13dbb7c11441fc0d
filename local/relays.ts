import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

const LOOPBACK = '127.0.0.1';

/**
 * Makes servers on loopback reachable at another address of this machine too, under the same ports. They ask
 * for no passwords, so it should be an address that only containers reach.
 */
export async function openRelays(
  host: string | undefined,
  urls: readonly string[],
): Promise<AsyncDisposable> {
  await using opening = new AsyncDisposableStack();
  if (host !== undefined)
    for (const port of new Set(urls.map((url) => Number(new URL(url).port))))
      opening.use(await slotHandover(host, port));
  return opening.move();
}

/** The URL of a server on loopback as containers reach it. */
export function relayed(url: string, host = LOOPBACK): string {
  return url.replace(`${LOOPBACK}:`, `${host}:`);
}

async function slotHandover(host: string, port: number): Promise<AsyncDisposable> {
  const clients = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    clients.add(client);
    const target = connect({ port, host: LOOPBACK, allowHalfOpen: true });
    const both = Promise.all([pipeline(client, target), pipeline(target, client)]);
    void both.catch(() => target.destroy()).finally(() => clients.delete(client.destroy()));
  });
  await once(server.listen(port, host), 'listening').catch((cause: unknown) => {
    const { code } = cause as NodeJS.ErrnoException;
    const reason =
      code === 'EADDRNOTAVAIL'
        ? 'is not an address of this machine. That of Docker is in "ip addr show docker0".'
        : `cannot be listened on: ${String(cause)}`;
    throw new Error(`EMULATORS_HOST=${host} ${reason}`, { cause });
  });
  return {
    async [Symbol.asyncDispose]() {
      const closed = once(server.close(), 'close');
      for (const client of clients) client.destroy();
      await closed;
    },
  };
}
