const URLS = /\b[a-z][a-z0-9+.-]*:\/\/[^\s"<>]+/gi;
const API_KEYS = /\bsf_(live|test)_\w+/g;

/** The URL without query, fragment and credentials, which may be secrets. Empty for an invalid URL. */
export function withoutSecrets(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return '';
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

/** An unexpected error for the log, with its causes. URLs and API keys in its text are cut. */
export function described(error: unknown): string {
  const text = error instanceof Error ? chain(error).join('\nCaused by: ') : String(error);
  return withoutKeys(text.replace(URLS, withoutSecrets));
}

/** A text with every API key in it cut, whole or not. */
export function withoutKeys(text: string): string {
  return text.replace(API_KEYS, 'sf_$1_');
}

function chain(error: Error): string[] {
  const own = error.stack ?? error.message;
  const several = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return [own, ...[error.cause, ...several].filter((cause) => cause instanceof Error).flatMap(chain)];
}
