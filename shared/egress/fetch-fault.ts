import { AppError, type ErrorCode } from '../errors.ts';

/** What impit's errors mean, by their class: https://github.com/apify/impit/blob/master/impit-node/errors.js */
const CODES: Readonly<Record<string, ErrorCode>> = {
  // The tunnel stands by then, or the guard would know of a fault: what failed is the handshake inside it.
  ConnectError: 'tls_failed',
  ProxyError: 'connect_failed',
  ProxyTunnelError: 'connect_failed',
  InvalidURL: 'url_not_allowed',
  UnsupportedProtocol: 'url_not_allowed',
  HTTPError: 'bad_upstream_response',
  RequestError: 'bad_upstream_response',
  TransportError: 'bad_upstream_response',
  NetworkError: 'bad_upstream_response',
  ReadError: 'bad_upstream_response',
  WriteError: 'bad_upstream_response',
  CloseError: 'bad_upstream_response',
  ProtocolError: 'bad_upstream_response',
  LocalProtocolError: 'bad_upstream_response',
  RemoteProtocolError: 'bad_upstream_response',
  DecodingError: 'bad_upstream_response',
};
/** How the body's stream says, without a class of its own, that it was cut off or is corrupt. */
const STREAM_ERROR = 'Error reading response stream';

/** Why a fetch failed: the deadline, else what the guard saw, else what the client says. */
export function fetchFault(thrown: unknown, seen: AppError | undefined, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason instanceof AppError ? signal.reason : new AppError('timeout');
  if (thrown instanceof AppError) return thrown;
  if (seen) return seen;
  if (!(thrown instanceof Error)) return thrown;
  const code = thrown.message.startsWith(STREAM_ERROR) ? 'bad_upstream_response' : CODES[thrown.name];
  return code ? new AppError(code, { cause: thrown }) : thrown;
}
