import type { Socket } from 'node:net';

type Limit = 'timeout' | 'response_too_large';

export type Traffic = {
  bytes: () => number;
  /** Counts a connection and ends it at a limit, which `onLimit` receives. */
  add: (socket: Socket, onLimit: (reason: Limit) => void) => void;
  isFull: () => boolean;
  close: () => void;
};

const LIMITS = {
  /** Four times the largest page, to allow for a rendered page's other resources. */
  maxBytes: 200_000_000,
  // No scrape lasts longer than 120 s.
  maxIdleMs: 120_000,
  maxAgeMs: 130_000,
};

/** Sockets emit nothing for bytes sent, so the counters are polled. */
const LOOK_MS = 250;

export function watchTraffic({ maxBytes, maxIdleMs, maxAgeMs } = LIMITS): Traffic {
  const open = new Map<Socket, (reason: Limit) => void>();
  let closedBytes = 0;
  let received = 0;
  const bytes = () => open.keys().reduce((sum, socket) => sum + bytesOf(socket), closedBytes);
  const isFull = () => bytes() > maxBytes;
  const look = () => isFull() && open.forEach((end) => end('response_too_large'));
  const looking = setInterval(look, LOOK_MS).unref();
  return {
    bytes,
    isFull,
    add: (socket, onLimit) => {
      const end = (reason: Limit) => {
        onLimit(reason);
        socket.destroy();
      };
      open.set(socket, end);
      const age = setTimeout(end, maxAgeMs, 'timeout');
      socket.setTimeout(maxIdleMs, () => end('timeout'));
      socket.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > maxBytes) end('response_too_large');
      });
      socket.once('close', () => {
        clearTimeout(age);
        open.delete(socket);
        closedBytes += bytesOf(socket);
      });
    },
    close: () => {
      clearInterval(looking);
      open.forEach((_, socket) => socket.destroy());
    },
  };
}

function bytesOf(socket: Socket): number {
  return socket.bytesRead + socket.bytesWritten;
}
