import { AppError, type ErrorCode } from '../../errors.ts';

/** What the client's errors mean, which have no class: the first sign that the message holds counts. */
const SIGNS: readonly (readonly [sign: string, code: ErrorCode])[] = [
  ['client error (ProxyConnect)', 'connect_failed'],
  // The tunnel stands by then, or the guard would know of a fault: what failed is the handshake inside it.
  ['client error (Connect)', 'tls_failed'],
  ['client error (SendRequest)', 'bad_upstream_response'],
  // How the body's stream says that it was cut off or is framed wrongly, encoded or not.
  ['error decoding response body', 'bad_upstream_response'],
];

/** Why a fetch failed: the deadline, else what the guard saw, else what the client says. */
export function fetchFault(thrown: unknown, seen: AppError | undefined, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason instanceof AppError ? signal.reason : new AppError('timeout');
  if (thrown instanceof AppError) return thrown;
  if (seen) return seen;
  if (!(thrown instanceof Error)) return thrown;
  const [, code] = SIGNS.find(([sign]) => thrown.message.includes(sign)) ?? [];
  return code ? new AppError(code, { cause: thrown }) : thrown;
}
