import type { ResponseHeaders } from '../../../shared/contract/scrape/response-headers.ts';

/** An empty body in any encoding is no larger. */
export const MAX_EMPTY_BYTES = 32;

/** Responses without a body, as Chromium takes them: https://www.rfc-editor.org/rfc/rfc9110#section-6.4.1 */
export const isBodiless = (status: number) => status === 204 || status === 205 || status === 304;

/** The least and the most bytes that an empty body has. A gzip file may name what it holds. */
const EMPTY: Readonly<Record<string, readonly [number, number]>> = {
  gzip: [20, MAX_EMPTY_BYTES],
  'x-gzip': [20, MAX_EMPTY_BYTES],
  br: [1, 4],
  zstd: [9, 13],
};
/** Around one chunk, and without any: https://www.rfc-editor.org/rfc/rfc9112#section-7.1 */
const [ONE_CHUNK_BYTES, NO_CHUNK_BYTES] = [11, 5];

/**
 * Whether a body that Chromium decoded to nothing may have been empty. Otherwise it was cut off inside of its
 * encoding. `wireBytes` counts its framing too.
 */
export function isEmptyBody(headers: ResponseHeaders, wireBytes: number): boolean {
  const valueOf = (name: string) => [headers[name] ?? []].flat().join().trim().toLowerCase();
  const announced = valueOf('content-length');
  const isChunked = valueOf('transfer-encoding') === 'chunked';
  // Without one of the two, the framing is not known.
  if (!/^\d+$/.test(announced) && !isChunked) return wireBytes <= MAX_EMPTY_BYTES;
  const chunked = wireBytes <= NO_CHUNK_BYTES ? 0 : wireBytes - ONE_CHUNK_BYTES;
  const bytes = isChunked ? chunked : Number(announced);
  const [least, most] = EMPTY[valueOf('content-encoding')] ?? [0, MAX_EMPTY_BYTES];
  return bytes === 0 || (bytes >= least && bytes <= most);
}
