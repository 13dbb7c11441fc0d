import { z } from 'zod';

/** The headers of a target's response by their lower-case names; a list where one is repeated. */
export const ResponseHeaders = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
export type ResponseHeaders = z.infer<typeof ResponseHeaders>;

/** More than any real response has. Headers beyond it are dropped. */
const MAX_LENGTH = 32_768;

export function responseHeaders(entries: Iterable<readonly [name: string, value: string]>): ResponseHeaders {
  const headers: Record<string, string | string[]> = {};
  let length = 0;
  for (const [name, value] of entries) {
    const key = name.toLowerCase();
    if (length + key.length + value.length > MAX_LENGTH) continue;
    length += key.length + value.length;
    const known = Object.hasOwn(headers, key) ? headers[key] : undefined;
    if (Array.isArray(known)) known.push(value);
    else headers[key] = known === undefined ? value : [known, value];
  }
  return headers;
}

/** A server without a clock deletes cookies by a date before this one. */
const LONG_AGO = Date.UTC(2000);

/** The cookies that a response sets, by name, without deleted ones. */
export function cookiesOf(headers: ResponseHeaders): Record<string, string> {
  const now = Date.parse([headers['date'] ?? ''].flat()[0] ?? '') || LONG_AGO;
  const cookies = new Map<string, string>();
  for (const line of [headers['set-cookie'] ?? []].flat()) {
    const [pair = '', attributes = ''] = splitAt(line, ';');
    const [name = '', value] = splitAt(pair, '=').map((part) => part.trim());
    if (!name || value === undefined) continue;
    if (value && !isOver(attributes, now)) cookies.set(name, value);
    else cookies.delete(name);
  }
  return Object.fromEntries(cookies);
}

/** The text before and after the first separator. A regular expression is quadratic in spaces. */
function splitAt(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Max-Age takes precedence: https://www.rfc-editor.org/rfc/rfc6265#section-5.3 */
function isOver(attributes: string, now: number): boolean {
  const [, seconds] = /(?:^|;)\s*max-age\s*=\s*(-?\d+)/i.exec(attributes) ?? [];
  if (seconds !== undefined) return Number(seconds) <= 0;
  const [, expires = ''] = /(?:^|;)\s*expires\s*=\s*([^;]*)/i.exec(attributes) ?? [];
  return Date.parse(expires) <= now;
}
