import { promisify } from 'node:util';
import { brotliDecompress, inflate, inflateRaw } from 'node:zlib';
import { gunzipMembers, zstdFrames } from './decode-members.ts';

type Decoder = (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Uint8Array>;

const inflateWrapped: Decoder = promisify(inflate);
const inflateBare: Decoder = promisify(inflateRaw);

/** A map, because an encoding may be named `constructor`. */
export const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzipMembers],
  ['x-gzip', gunzipMembers],
  ['br', promisify(brotliDecompress)],
  ['zstd', zstdFrames],
  // Some servers omit the zlib wrapper, and browsers accept both: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2
  ['deflate', (body, options) => (isWrapped(body) ? inflateWrapped : inflateBare)(body, options)],
]);

/** Method 8 and a valid check of the first two bytes: https://www.rfc-editor.org/rfc/rfc1950#section-2.2 */
const isWrapped = ([method = 0, flags = 0]: Uint8Array) =>
  (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
