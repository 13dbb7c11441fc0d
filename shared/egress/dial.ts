import { connect, isIPv6, type Socket, type TcpSocketConnectOpts } from 'node:net';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Verdict } from './decide.ts';

/** A host that drops packets is given up after this; a few lost SYNs (1, 2 and 4 s apart) are survived. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Node gives an address up after 250 ms by default, less than a far host takes to answer. */
const ATTEMPT_TIMEOUT_MS = 2_500;

/** A connection to one of the vetted addresses, tried in turn. Throws `connect_failed`. */
export function dial(
  { addresses, port }: Omit<Verdict, 'host'>,
  signal: AbortSignal,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Promise<Socket> {
  const socket = connect({ ...pinnedTo(addresses), port, noDelay: true });
  return connected(socket, 'connect', 'connect_failed', signal, timeoutMs);
}

/** Never the name. A single address needs no choice between several, which takes time. */
function pinnedTo(addresses: readonly string[]): Partial<TcpSocketConnectOpts> {
  const [first, ...others] = addresses;
  // No address at all must stay a lookup that fails: an empty host is localhost to net.
  if (first !== undefined && others.length === 0) return { host: first };
  const pinned = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return {
    // net resolves nothing: it asks this lookup, which knows the vetted addresses alone.
    host: 'pinned',
    lookup: (_name, _options, done) => done(null, pinned),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
  };
}

/** Waits for a socket's `event`. It is destroyed on error, after the connect timeout and on abort: then throws `code`. */
export async function connected<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  code: ErrorCode,
  signal: AbortSignal,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Promise<S> {
  const { promise, resolve, reject } = Promise.withResolvers<S>();
  const abort = () => socket.destroy(new Error('Given up connecting.'));
  // Stays on the socket, which would otherwise bring the process down with its next error.
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
