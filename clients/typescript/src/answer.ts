import { unexpected } from './sitefetch-error.ts';
import type { Received } from './transport.ts';

/** What the service returned, and the id of the request, which is not part of its JSON. */
export type Answer<T> = T & { readonly requestId: string };

/** The parsed JSON of a response. Throws `unexpected_response` otherwise. */
export function answerOf<T extends object>({ bytes, status, headers }: Received): Answer<T> {
  try {
    const value = JSON.parse(new TextDecoder().decode(bytes)) as T;
    const requestId = headers.get('X-Request-Id') ?? '';
    return Object.defineProperty(value, 'requestId', { value: requestId }) as Answer<T>;
  } catch (cause) {
    throw unexpected({ status, headers }, 'The response is not JSON.', cause);
  }
}

/** The cursor of the next page, from the `Link` header. */
export function nextCursor(headers: Headers): string | undefined {
  const [, url] = /<([^>]+)>; rel="next"/.exec(headers.get('Link') ?? '') ?? [];
  return url === undefined ? undefined : (new URL(url, 'http://api').searchParams.get('cursor') ?? undefined);
}

/** `Retry-After` in milliseconds, for calls that poll. */
export function pollAfterMs(headers: Headers, otherwiseMs: number): number {
  const seconds = Number.parseInt(headers.get('Retry-After') ?? '', 10);
  return Number.isNaN(seconds) ? otherwiseMs : seconds * 1_000;
}
