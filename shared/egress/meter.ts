import type { Socket } from 'node:net';

export type Meter = {
  /** Bytes both ways over every connection, open or closed. */
  bytes: () => number;
  /** Counts a connection, ends it when it is idle or too old, and tells why through `onLimit`. */
  add: (socket: Socket, onLimit: (reason: 'timeout' | 'response_too_large') => void) => void;
  isFull: () => boolean;
  close: () => void;
};

const LIMITS = {
  /** Four times the page that may come back, for what a rendered page loads around it. */
  maxBytes: 200_000_000,
  // No scrape lasts longer than 120 s, so a connection that is silent or open for longer serves none.
  maxIdleMs: 120_000,
  maxAgeMs: 130_000,
};

/** Watches over the connections of one scrape. */
export function openMeter({ maxBytes, maxIdleMs, maxAgeMs } = LIMITS): Meter {
  const open = new Set<Socket>();
  let closedBytes = 0;
  let received = 0;
  return {
    bytes: () => open.values().reduce((sum, socket) => sum + bytesOf(socket), closedBytes),
    isFull: () => received > maxBytes,
    add: (socket, onLimit) => {
      open.add(socket);
      const end = (reason: 'timeout' | 'response_too_large') => {
        onLimit(reason);
        socket.destroy();
      };
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
    close: () => open.forEach((socket) => socket.destroy()),
  };
}

function bytesOf(socket: Socket): number {
  return socket.bytesRead + socket.bytesWritten;
}
