import { AppError, type ErrorCode } from '../../errors.ts';

/** The client's errors have no class: the first sign found in the message counts. */
const SIGNS: readonly (readonly [sign: string, code: ErrorCode])[] = [
  ['client error (ProxyConnect)', 'connect_failed'],
  // The guard reports tunnel faults itself, so this is the TLS handshake inside.
  ['client error (Connect)', 'tls_failed'],
  ['client error (SendRequest)', 'bad_upstream_response'],
  ['error decoding response body', 'bad_upstream_response'],
];

/** Why a plain request failed: the deadline, or else what the guard has seen, or the client's error. */
export function fetchFault(thrown: unknown, seen: AppError | undefined, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason instanceof AppError ? signal.reason : new AppError('timeout');
  if (thrown instanceof AppError) return thrown;
  if (seen) return seen;
  if (!(thrown instanceof Error)) return thrown;
  const [, code] = SIGNS.find(([sign]) => thrown.message.includes(sign)) ?? [];
  return code ? new AppError(code, { cause: thrown }) : thrown;
}
