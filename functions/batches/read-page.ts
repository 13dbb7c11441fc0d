import { buffer } from 'node:stream/consumers';
import type { BatchResult } from '../../shared/contract/batches/batch.ts';
import type { CompletedJob } from '../../shared/contract/jobs/job.ts';
import { readResult } from '../../shared/http/read-result.ts';
import type { Effects } from '../../shared/ports/effects.ts';

type Body = Pick<BatchResult, 'body' | 'body_encoding'>;

/** A page for a line of JSON: as text if its bytes are UTF-8, else as base64. Empty if it was deleted. */
export async function readPage(results: Pick<Effects['results'], 'open'>, job: CompletedJob): Promise<Body> {
  const stored = await results.open(job.resultKey);
  if (stored === undefined) return {};
  const bytes = await buffer(readResult(stored, job, { isGzip: false, range: undefined }));
  try {
    return { body: UTF8.decode(bytes), body_encoding: 'utf-8' };
  } catch {
    return { body: bytes.toString('base64'), body_encoding: 'base64' };
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
