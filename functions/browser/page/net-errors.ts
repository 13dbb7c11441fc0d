import { AppError, type ErrorCode } from '../../../shared/errors.ts';

/** First match wins: https://source.chromium.org/chromium/chromium/src/+/main:net/base/net_error_list.h */
const TABLE: readonly [RegExp, ErrorCode][] = [
  [/ERR_TOO_MANY_REDIRECTS/, 'too_many_redirects'],
  [/ERR_NAME_/, 'dns_failed'],
  [/ERR_(CERT|SSL|BAD_SSL|ECH)_/, 'tls_failed'],
  [/ERR_(UNSAFE_|BLOCKED_|DISALLOWED_|UNKNOWN_URL_SCHEME|INVALID_URL|ACCESS_DENIED)/, 'url_not_allowed'],
  [/ERR_EMPTY_RESPONSE/, 'bad_upstream_response'],
  [/ERR_(CONNECTION|TUNNEL_CONNECTION|PROXY|SOCKET|ADDRESS|NETWORK|INTERNET|TIMED_OUT)/, 'connect_failed'],
  [/ERR_(INSUFFICIENT_RESOURCES|OUT_OF_MEMORY)/, 'browser_crashed'],
];

export function netError(text: string): AppError {
  const code = TABLE.find(([sign]) => sign.test(text))?.[1] ?? 'bad_upstream_response';
  return new AppError(code, { cause: new Error(text) });
}
