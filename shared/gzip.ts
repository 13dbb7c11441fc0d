import { promisify } from 'node:util';
import { deflateRawSync, gzip } from 'node:zlib';

/** Two thirds of the time of zlib's default, for markup that is a twentieth larger. */
export const GZIP = { level: 4 };

/** Less than this fits into the first packets anyway. */
const MIN_BYTES = 1_024;
const SAMPLE_BYTES = 16_384;
/** A tenth saved is worth the time that it takes to undo. */
const WORTH = 0.9;

/** Whether compressing the bytes saves a tenth, told from how they begin: a Content-Type may be missing or wrong. */
export function isCompressible(bytes: Uint8Array): boolean {
  if (bytes.byteLength < MIN_BYTES) return false;
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  return deflateRawSync(sample, { level: 1 }).byteLength < sample.byteLength * WORTH;
}

/** The bytes as gzip. Undefined if that is not worth it. */
export async function gzipped(bytes: Uint8Array, options = GZIP): Promise<Uint8Array | undefined> {
  if (!isCompressible(bytes)) return undefined;
  const compressed = await promisify(gzip)(bytes, options);
  return compressed.byteLength < bytes.byteLength * WORTH ? compressed : undefined;
}
