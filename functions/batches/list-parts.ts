import type { Batch, BatchParts } from '../../shared/contract/batches/batch.ts';
import type { Chunk } from '../../shared/contract/batches/chunk.ts';
import { partKey } from '../../shared/domain/batches/part-key.ts';
import type { Effects } from '../../shared/ports/effects.ts';
import { type ChunkPart, partsAfter } from '../../shared/use-cases/batches/parts-after.ts';

export type PartNeeds = Pick<Effects, 'chunks' | 'results'>;

const MAX_PARTS = 100;
const LINK_SECONDS = 3_600;
const NDJSON = { contentType: 'application/x-ndjson', contentEncoding: 'gzip' } as const;

/** Links to parts that the cursor does not cover. Throws `invalid_request` for another batch's cursor. */
export async function listParts(
  fx: PartNeeds,
  batch: Batch,
  cursor: string | undefined,
): Promise<BatchParts> {
  const { parts, next } = await partsAfter(fx, batch, cursor, (taken) => taken.length < MAX_PARTS);
  const data = await Promise.all(parts.map((part) => shown(fx, part)));
  return { data, ...(next !== undefined && { next_cursor: next }) };
}

async function shown({ results }: PartNeeds, { chunk, token, lines, bytes }: ChunkPart) {
  if (token === undefined)
    return { lines, first_line: firstNotRun(chunk), ...(chunk.rest && { error_code: chunk.rest }) };
  return { url: await results.link(partKey(chunk, token, 'pages'), NDJSON, LINK_SECONDS), lines, bytes };
}

function firstNotRun({ next, at, bytes, retries }: Chunk): number {
  const fresh = next.at < at + bytes ? [next.line] : [];
  return Math.min(...fresh, ...retries.map(({ line }) => line));
}
