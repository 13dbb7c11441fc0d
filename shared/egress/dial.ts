import { connect, type Socket } from 'node:net';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Verdict } from './decide.ts';

/** A host that drops packets is given up after this; a few lost SYNs (1, 2 and 4 s apart) are survived. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Node gives an address up after 250 ms by default, less than a far host takes to answer. */
const ATTEMPT_TIMEOUT_MS = 2_500;

/** A connection to one of the vetted addresses, tried in turn. Throws `connect_failed`. */
export function dial({ addresses, port }: Omit<Verdict, 'host'>, signal: AbortSignal): Promise<Socket> {
  const pinned = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const socket = connect({
    // Never the name: net resolves nothing, it asks this lookup, which knows the vetted addresses alone.
    host: 'pinned',
    lookup: (_name, _options, done) => done(null, pinned),
    port,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    noDelay: true,
  });
  return connected(socket, 'connect', 'connect_failed', signal);
}

/** Waits for a socket's `event`. It is destroyed on error, after the connect timeout and on abort: then throws `code`. */
export async function connected<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  code: ErrorCode,
  signal: AbortSignal,
): Promise<S> {
  const { promise, resolve, reject } = Promise.withResolvers<S>();
  const give = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
  const abort = () => socket.destroy(new Error('Given up connecting.'));
  // Stays on the socket, which would otherwise bring the process down with its next error.
  socket.on('error', (cause) => reject(new AppError(code, { cause })));
  socket.once(event, () => resolve(socket));
  give.addEventListener('abort', abort, { once: true });
  if (give.aborted) abort();
  try {
    return await promise;
  } finally {
    give.removeEventListener('abort', abort);
  }
}
