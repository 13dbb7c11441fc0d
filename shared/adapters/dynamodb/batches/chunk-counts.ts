import { z } from 'zod';
import { epochSeconds } from '../../../contract/time.ts';
import { linesLeft } from '../../../domain/batches/chunk-state.ts';
import type { Chunks } from '../../../ports/batches.ts';
import { batchGetAll } from '../batch-get.ts';
import { chunkEntry, progressIn } from './chunk-entry.ts';
import type { TableOptions } from '../conditional-table.ts';
import { conditionalUpdates } from '../conditional-updates.ts';
import { CHUNK_PARTS, countedParts } from './counted-parts.ts';

/** How far the chunks of batches are: lists of numbers by index, twenty to an item. */
export function chunkCounts(options: TableOptions): Pick<Chunks, 'count' | 'progress'> {
  const parts = countedParts(options, CHUNK_PARTS);
  const update = conditionalUpdates(options);

  return {
    count: async (chunk, chunks) => {
      const { batchId: id, index, version, expiresAt } = chunk;
      const place = { id, index, total: chunks };
      const { pk, places } = parts.at(place);
      await update(pk, 'SET #chunk = :entry, expires_at = :expires', {
        condition: 'attribute_not_exists(#chunk) OR #chunk[0] < :version',
        values: {
          ':entry': chunkEntry(chunk),
          ':version': version,
          ':expires': z.encode(epochSeconds, expiresAt),
        },
        names: { '#chunk': `k${index}` },
      });
      if (linesLeft(chunk) > 0) return false;
      // Read afterwards: of two chunks that end together, at least the later one sees both.
      const counted = (await batchGetAll(options, [pk])).flatMap(progressIn);
      return counted.filter(({ isDone }) => isDone).length >= places && parts.close(place);
    },

    progress: async (batchId, chunks) => (await parts.all(batchId, chunks)).flatMap(progressIn),
  };
}
