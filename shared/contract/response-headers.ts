import { z } from 'zod';

/** The headers of a target's response by their lower-case names; a list where one is repeated. */
export const ResponseHeaders = z.record(z.string(), z.union([z.string(), z.array(z.string())]));
export type ResponseHeaders = z.infer<typeof ResponseHeaders>;

/** Above any real response; what is beyond is left out. */
const MAX_LENGTH = 32_768;

export function responseHeaders(entries: Iterable<readonly [name: string, value: string]>): ResponseHeaders {
  const headers: Record<string, string | string[]> = {};
  let length = 0;
  for (const [name, value] of entries) {
    const key = name.toLowerCase();
    length += key.length + value.length;
    if (length > MAX_LENGTH) break;
    const known = Object.hasOwn(headers, key) ? headers[key] : undefined;
    headers[key] = known === undefined ? value : [known, value].flat();
  }
  return headers;
}

/** The cookies that a response sets, by name. Empty values delete, and are left out. */
export function cookiesOf(headers: ResponseHeaders): Record<string, string> {
  const pairs = [headers['set-cookie'] ?? []].flat().flatMap((line) => {
    const [, name, value] = /^\s*([^=;]+?)\s*=\s*([^;]*?)\s*(?:;|$)/.exec(line) ?? [];
    return name && value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(pairs);
}
