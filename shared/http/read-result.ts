import { createHash } from 'node:crypto';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { CompletedJob } from '../contract/jobs/job.ts';
import type { ByteRange } from './conditions.ts';

type Bytes = AsyncIterable<Uint8Array>;
type Wanted = {
  /** As gzip, if it is stored as gzip. */
  isGzip: boolean;
  range: ByteRange | undefined;
};

/**
 * Reads a job's page in the wanted form. The last bytes are sent only if the checksum of all bytes matches;
 * otherwise the stream fails, and the response ends short of its declared length.
 */
export function readResult(
  stored: Readable,
  { gzip, sha256 }: Pick<CompletedJob, 'gzip' | 'sha256'>,
  { isGzip, range }: Wanted,
): Readable {
  const sound = verified(stored, gzip?.sha256 ?? sha256);
  const bytes = gzip && !isGzip ? pipeline(Readable.from(sound), createGunzip(), () => undefined) : sound;
  return Readable.from(holdBackLast(range ? part(bytes, range) : bytes));
}

async function* verified(chunks: Bytes, sha256: string): Bytes {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) throw new Error('The stored result does not match its checksum.');
}

/** Reads on after the end of the range, because the checksum covers the whole page. */
async function* part(chunks: Bytes, { start, end }: ByteRange): Bytes {
  let offset = 0;
  for await (const chunk of chunks) {
    const wanted = chunk.subarray(Math.max(0, start - offset), Math.max(0, end + 1 - offset));
    if (wanted.byteLength > 0) yield wanted;
    offset += chunk.byteLength;
  }
}

async function* holdBackLast(chunks: Bytes): Bytes {
  let last: Uint8Array | undefined;
  for await (const chunk of chunks) {
    if (last) yield last;
    last = chunk;
  }
  if (last) yield last;
}
