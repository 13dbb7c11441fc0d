const URLS = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"<>]+/gi;
const API_KEYS = /\bsf_(live|test)_\w+/g;

/** A URL without its query, fragment and credentials, which may be secrets. What is no URL becomes nothing. */
export function withoutSecrets(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return '';
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

/**
 * An unexpected error for the log: what it is and where it came from, with all its causes. Its text is somebody else's,
 * so every URL and API key in it is cut.
 */
export function described(error: unknown): string {
  const text = error instanceof Error ? chain(error).join('\nCaused by: ') : String(error);
  return text.replace(URLS, withoutSecrets).replace(API_KEYS, 'sf_$1_');
}

function chain(error: Error): string[] {
  const own = error.stack ?? error.message;
  const several = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return [own, ...[error.cause, ...several].filter((cause) => cause instanceof Error).flatMap(chain)];
}
