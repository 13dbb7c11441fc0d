import { connect, isIPv6, type Socket, type TcpSocketConnectOpts } from 'node:net';
import type { EgressDecision } from './decide.ts';
import { CONNECT_TIMEOUT_MS, connected } from './connected.ts';

/** Node's default of 250 ms is too short for a distant host. */
const ATTEMPT_TIMEOUT_MS = 2_500;

/** Connects to one of the vetted addresses, tried in turn. Throws `connect_failed`. */
export function dial(
  { addresses, port }: Omit<EgressDecision, 'host'>,
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
