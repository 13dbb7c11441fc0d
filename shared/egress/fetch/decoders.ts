import { createBrotliDecompress, createInflate, createInflateRaw } from 'node:zlib';
import { gunzipMembers, zstdFrames } from './decode-members.ts';
import { type Decoded, runDecoder } from './run-decoder.ts';

type Decoder = (body: Uint8Array, limit: number) => Promise<Decoded>;

/** A map, because an encoding may be named `constructor`. */
export const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzipMembers],
  ['x-gzip', gunzipMembers],
  ['br', (body, limit) => runDecoder(createBrotliDecompress(), body, limit)],
  ['zstd', zstdFrames],
  // Some servers omit the zlib wrapper, and browsers accept both: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.2
  ['deflate', (body, limit) => (isWrapped(body) ? inflateWrapped : inflateBare)(body, limit)],
]);

const inflateBare: Decoder = (body, limit) => runDecoder(createInflateRaw(), body, limit);

/** Node gives up the last bytes before a checksum that is wrong, so then they are decoded without it. */
async function inflateWrapped(body: Uint8Array, limit: number): Promise<Decoded> {
  return runDecoder(createInflate(), body, limit).catch(async (fault: unknown) => {
    if (!(fault instanceof Error) || fault.message !== OTHER_CHECKSUM) throw fault;
    const decoded = await inflateBare(body.subarray(WRAPPER_BYTES), limit);
    return { ...decoded, isTruncated: true };
  });
}

const OTHER_CHECKSUM = 'incorrect data check';
const WRAPPER_BYTES = 2;

/** Method 8 and a valid check of the first two bytes: https://www.rfc-editor.org/rfc/rfc1950#section-2.2 */
const isWrapped = ([method = 0, flags = 0]: Uint8Array) =>
  (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
