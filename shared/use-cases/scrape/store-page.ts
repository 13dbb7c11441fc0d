import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { scheduler } from 'node:timers/promises';
import { gunzipped, gzipped } from '../../gzip.ts';
import type { StoredBody } from '../../contract/scrape/cached-page.ts';
import { mutex } from '../../time/mutex.ts';
import type { Results } from '../../ports/jobs.ts';

/** Ten smaller pages fit into memory at once. */
const LARGE_BYTES = 4_000_000;
/** About a millisecond of hashing. */
const SLICE_BYTES = 1_000_000;

const oneAtATime = mutex();

/** Compresses a page if that helps, and stores it. Large pages take turns to bound the memory. */
export function storePage(results: Results, resultKey: string, body: Uint8Array): Promise<StoredBody> {
  return body.byteLength < LARGE_BYTES
    ? store(results, resultKey, body)
    : oneAtATime(() => store(results, resultKey, body));
}

async function store(results: Results, resultKey: string, body: Uint8Array): Promise<StoredBody> {
  const gzip = await gzipped(body);
  await results.put(resultKey, gzip ?? body);
  return { resultKey, ...(await measured(body)), gzip: gzip && (await measured(gzip)) };
}

/** Hashes in slices, so that other jobs can run in between. */
async function measured(bytes: Uint8Array) {
  const hash = createHash('sha256');
  for (let start = 0; start < bytes.byteLength; start += SLICE_BYTES) {
    if (start > 0) await scheduler.yield();
    hash.update(bytes.subarray(start, start + SLICE_BYTES));
  }
  return { sha256: hash.digest('hex'), bytes: bytes.byteLength };
}

/** The page that was stored. Undefined if its bytes are gone or damaged. */
export async function openedPage(
  results: Pick<Results, 'open'>,
  { resultKey, sha256, gzip }: StoredBody,
): Promise<Uint8Array | undefined> {
  const stream = await results.open(resultKey);
  if (stream === undefined) return undefined;
  const stored = await buffer(stream);
  const body = gzip ? await gunzipped(stored) : stored;
  return (await measured(body)).sha256 === sha256 ? body : undefined;
}
