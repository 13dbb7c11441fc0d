import type { Chunk } from '../../contract/batches/chunk.ts';

/** Where a worker stores the results of one turn: lines with their pages, or without. */
export function partKey(
  { orgId, batchId, index }: Pick<Chunk, 'orgId' | 'batchId' | 'index'>,
  token: number,
  kind: 'pages' | 'heads',
): string {
  return `results/${orgId}/${batchId}/${index}-${token}-${kind}.ndjson.gz`;
}
