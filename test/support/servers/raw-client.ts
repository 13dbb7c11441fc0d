import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that writes bytes to a proxy, and records what it receives and how the connection ends. */
type RawClient = {
  socket: Socket;
  /** Everything received so far. */
  heard: () => string;
  /** Waits until the received text matches. */
  hears: (expected: RegExp) => Promise<string>;
  /** Waits for the end; returns everything received, and `end` or the error code. */
  ending: () => Promise<[text: string, end: string]>;
} & Disposable;

/** Connects to a proxy and writes `bytes`. */
export async function rawClient(proxyUrl: string, bytes: string): Promise<RawClient> {
  const { hostname, port } = new URL(proxyUrl);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  let end: string | undefined;
  let look: () => void = () => undefined;
  const next = () => new Promise<void>((resolve) => (look = resolve));
  const heard = () => Buffer.concat(chunks).toString('latin1');
  const ends = (how: string) => {
    end ??= how;
    look();
  };
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    look();
  });
  socket.on('end', () => ends('end'));
  socket.on('error', ({ code = 'error' }: NodeJS.ErrnoException) => ends(code));
  await once(socket, 'connect');
  socket.write(bytes, 'latin1');
  return {
    socket,
    heard,
    hears: async (expected) => {
      while (!expected.test(heard())) {
        if (end !== undefined) throw new Error(`It ended with ${end} after ${JSON.stringify(heard())}`);
        await next();
      }
      return heard();
    },
    ending: async () => {
      while (end === undefined) await next();
      return [heard(), end];
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
