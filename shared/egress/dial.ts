import { connect, isIPv6, type Socket, type TcpSocketConnectOpts } from 'node:net';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Verdict } from './decide.ts';

/** Long enough to survive a few lost SYNs (1, 2 and 4 s apart). */
const CONNECT_TIMEOUT_MS = 10_000;

/** Node's default of 250 ms is too short for a distant host. */
const ATTEMPT_TIMEOUT_MS = 2_500;

/** Connects to one of the vetted addresses, tried in turn. Throws `connect_failed`. */
export function dial(
  { addresses, port }: Omit<Verdict, 'host'>,
  signal: AbortSignal,
  timeoutMs = CONNECT_TIMEOUT_MS,
): Promise<Socket> {
  const socket = connect({ ...pinnedTo(addresses), port, noDelay: true });
  return connected(socket, 'connect', 'connect_failed', signal, timeoutMs);
}

/** Never passes the name to net. A single address skips the slower choice between several. */
function pinnedTo(addresses: readonly string[]): Partial<TcpSocketConnectOpts> {
  const [first, ...others] = addresses;
  // Without any address the lookup must fail: net takes an empty host for localhost.
  if (first !== undefined && others.length === 0) return { host: first };
  const pinned = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return {
    // net calls this lookup instead of DNS; it returns the vetted addresses only.
    host: 'pinned',
    lookup: (_name, _options, done) => done(null, pinned),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
  };
}

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
