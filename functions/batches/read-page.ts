import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { BatchResult } from '../../shared/contract/batch.ts';
import type { CompletedJob } from '../../shared/contract/job.ts';
import { gunzipped } from '../../shared/gzip.ts';
import type { Effects } from '../../shared/ports.ts';

type Body = Pick<BatchResult, 'body' | 'body_encoding'>;

/** A page for a line of JSON: as text if its bytes are UTF-8, else as base64. Empty if it was deleted. */
export async function readPage(
  results: Pick<Effects['results'], 'open'>,
  { resultKey, gzip, sha256 }: CompletedJob,
): Promise<Body> {
  const stored = await results.open(resultKey);
  if (stored === undefined) return {};
  const bytes = gzip ? await gunzipped(await buffer(stored)) : await buffer(stored);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Error('The stored result does not match its checksum.');
  try {
    return { body: UTF8.decode(bytes), body_encoding: 'utf-8' };
  } catch {
    return { body: bytes.toString('base64'), body_encoding: 'base64' };
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
