import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { foundKey } from '../../../shared/domain/crawls/crawl-keys.ts';
import { GZIP } from '../../../shared/gzip.ts';
import type { Results } from '../../../shared/ports/jobs.ts';
import type { LineResult } from './line-result.ts';

const zipped = promisify(gzip);

/** Stores what the lines of one turn have found for their crawl: a `Found` for each, in their order. */
export async function storeFound(
  results: Pick<Results, 'put'>,
  chunk: Chunk,
  lines: readonly LineResult[],
): Promise<void> {
  const text = lines.map((line) => `${JSON.stringify(foundOf(line))}\n`).join('');
  await results.put(foundKey(chunk, chunk.fencingToken), await zipped(text, GZIP));
}

/** A line without a page has found nothing. */
function foundOf({ head, found }: LineResult) {
  const { line, credits_used: credits, credits_reason: reason } = head;
  if (found) return { line, credits, ...found };
  const { error_code, target_status, verdict, completed_at: fetched_at } = head;
  const facts = { error_code, target_status, verdict, fetched_at };
  return { line, outcome: 'failed', credits, counter: `plain_${String(reason)}`, ...facts };
}
