import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Batch } from '../../contract/batches/batch.ts';
import type { Chunk } from '../../contract/batches/chunk.ts';
import { chunkIdOf } from '../../domain/batches/chunk-id.ts';
import { partKey } from '../../domain/batches/part-key.ts';
import { splitLines } from '../../domain/batches/split-lines.ts';
import type { Effects } from '../../ports/effects.ts';
import { numberOf } from './batch-results.ts';

export type LineNeeds = {
  chunks: Pick<Effects['chunks'], 'find'>;
  results: Pick<Effects['results'], 'open'>;
};

/** The stored JSON of one line with its page. Undefined before it has ended, and if it never ran. */
export async function findLine(fx: LineNeeds, batch: Batch, line: number): Promise<Buffer | undefined> {
  const chunk = await chunkWith(fx, batch, line);
  if (chunk === undefined) return undefined;
  for (const { token } of chunk.parts)
    // Without pages, a part is small.
    if (await lineIn(fx, partKey(chunk, token, 'heads'), line))
      return lineIn(fx, partKey(chunk, token, 'pages'), line);
  return undefined;
}

/** By bisection: chunks are in the order of their lines, and blank lines belong to none. */
async function chunkWith(
  { chunks }: LineNeeds,
  { id, upload }: Batch,
  line: number,
): Promise<Chunk | undefined> {
  let found: Chunk | undefined;
  let [low, high] = [0, upload.chunks ?? 0];
  while (low < high) {
    const middle = (low + high) >> 1;
    const chunk = await chunks.find(chunkIdOf(id, middle));
    if (chunk === undefined) return undefined;
    if (chunk.firstLine > line) high = middle;
    else [found, low] = [chunk, middle + 1];
  }
  return found;
}

async function lineIn({ results }: LineNeeds, key: string, line: number): Promise<Buffer | undefined> {
  const stored = await results.open(key);
  if (stored === undefined) return undefined;
  const lines = pipeline(stored, createGunzip(), () => undefined);
  for await (const { content } of splitLines(lines, undefined, Infinity))
    if (content && numberOf(content) === line) return content;
  return undefined;
}
