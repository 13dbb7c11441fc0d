import type { Batch, BatchParts } from '../../contract/batches/batch.ts';
import type { Chunk } from '../../contract/batches/chunk.ts';
import { partKey } from '../../domain/batches/part-key.ts';
import type { Effects } from '../../ports/effects.ts';
import { type ChunkPart, partsAfter } from './parts-after.ts';

export type ListPartsNeeds = Pick<Effects, 'chunks' | 'results'>;

const MAX_PARTS = 100;
const LINK_SECONDS = 3_600;
const PART = { contentType: 'application/x-ndjson', contentEncoding: 'gzip' } as const;

/** More fields of a part; undefined leaves it out. */
type Describe<More> = (part: ChunkPart) => More | undefined;

/**
 * Links to parts of a batch's results that the cursor does not cover. Throws `invalid_request` for another
 * batch's cursor.
 */
export async function listParts<More extends object>(
  fx: ListPartsNeeds,
  batch: Batch,
  cursor: string | undefined,
  describe: Describe<More>,
): Promise<{ data: (BatchParts['data'][number] & More)[]; next_cursor?: string }> {
  const { parts, next } = await partsAfter(fx, batch, cursor, (taken) => taken.length < MAX_PARTS);
  const data = await Promise.all(
    parts.flatMap((part) => {
      const more = describe(part);
      return more === undefined ? [] : shown(fx, part).then((link) => ({ ...link, ...more }));
    }),
  );
  return { data, ...(next !== undefined && { next_cursor: next }) };
}

async function shown({ results }: ListPartsNeeds, { chunk, token, lines, bytes }: ChunkPart) {
  if (token === undefined)
    return { lines, first_line: firstNotRun(chunk), ...(chunk.rest && { error_code: chunk.rest }) };
  return { url: await results.link(partKey(chunk, token, 'pages'), PART, LINK_SECONDS), lines, bytes };
}

function firstNotRun({ next, at, bytes, retries }: Chunk): number {
  const fresh = next.at < at + bytes ? [next.line] : [];
  return Math.min(...fresh, ...retries.map(({ line }) => line));
}
