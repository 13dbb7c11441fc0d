import type { Socket } from 'node:net';
import { AppError, type ErrorCode } from '../errors.ts';

/** Long enough to survive a few lost SYNs (1, 2 and 4 s apart). */
export const CONNECT_TIMEOUT_MS = 10_000;

/** Waits for a socket's `event`. On error, timeout or abort it destroys the socket and throws `code`. */
export async function connected<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  code: ErrorCode,
  signal: AbortSignal,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Promise<S> {
  const { promise, resolve, reject } = Promise.withResolvers<S>();
  const abort = () => socket.destroy(new Error('Given up connecting.'));
  // Stays attached: an unhandled later error would end the process.
  socket.on('error', (cause) => reject(new AppError(code, { cause })));
  socket.once(event, () => resolve(socket));
  const timer = setTimeout(abort, timeoutMs);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
