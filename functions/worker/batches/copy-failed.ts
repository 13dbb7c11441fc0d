import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import type { RetryRequest } from '../../../shared/contract/batches/batch-request.ts';
import type { Chunk } from '../../../shared/contract/batches/chunk.ts';
import { chunkIdOf } from '../../../shared/domain/batches/chunk-id.ts';
import { partKey } from '../../../shared/domain/batches/part-key.ts';
import { splitLines } from '../../../shared/domain/batches/split-lines.ts';
import { chunkNotRun } from '../../../shared/domain/batches/state.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import { forEachConcurrently } from '../../../shared/time/for-each-concurrently.ts';

export type CopyNeeds = Pick<Effects, 'batches' | 'chunks' | 'uploads' | 'results'>;

const Head = z.object({
  line: z.int(),
  status: z.string(),
  invalid: z.boolean().optional(),
  credits_reason: z.string(),
});
type Included = RetryRequest['include'];

const LINE_FEED = Buffer.from('\n');
/** A million requests have some 40,000 parts, which are read in the time of one invocation. */
const CONCURRENCY = 40;

/**
 * Writes requests of a batch that has ended, by how they ended, as an upload of its own, in their order.
 * Returns its version.
 */
export async function copyFailed(
  fx: CopyNeeds,
  batchId: string,
  { key, include }: { key: string; include: Included },
): Promise<string> {
  const batch = await fx.batches.find(batchId);
  if (batch === undefined) throw gone();
  const { upload } = batch;
  const ids = Array.from({ length: upload.chunks ?? 0 }, (_, index) => chunkIdOf(batchId, index));
  const notRun = chunkNotRun(batch);
  const chunks = notRun ? [notRun] : (await fx.chunks.findAll(ids)).sort((a, b) => a.index - b.index);
  const failed = new Map<number, (line: number) => boolean>();
  await forEachConcurrently(CONCURRENCY, chunks, async (chunk) => {
    failed.set(chunk.index, await failedIn(fx, chunk, include));
  });
  const stream = await fx.uploads.read({ key: upload.key, version: upload.version ?? '' }, 0);
  if (stream === undefined) throw gone();
  return fx.uploads.write(key, Readable.from(chosenLines(stream, chunks, failed)));
}

async function* chosenLines(
  stream: AsyncIterable<Uint8Array>,
  chunks: readonly Chunk[],
  failed: ReadonlyMap<number, (line: number) => boolean>,
): AsyncGenerator<Buffer> {
  let index = 0;
  for await (const { line, content } of splitLines(stream)) {
    while (line >= (chunks[index + 1]?.firstLine ?? Infinity)) index += 1;
    if (content && failed.get(index)?.(line)) yield Buffer.concat([content, LINE_FEED]);
  }
}

/** Lines that ended so. A line that was not run has failed if none of the chunk will run any more. */
async function failedIn(
  { results }: CopyNeeds,
  chunk: Chunk,
  include: Included,
): Promise<(line: number) => boolean> {
  const ended = new Map<number, boolean>();
  for (const { token } of chunk.parts) {
    const stored = await results.open(partKey(chunk, token, 'heads'));
    if (stored === undefined) throw gone();
    const heads = pipeline(stored, createGunzip(), () => undefined);
    for await (const { content } of splitLines(heads, undefined, Infinity)) {
      if (content === undefined) continue;
      const { line, status, invalid, credits_reason: reason } = Head.parse(JSON.parse(content.toString()));
      const end = status === 'failed' ? status : reason;
      ended.set(line, invalid !== true && include.some((each) => each === end));
    }
  }
  return (line) => ended.get(line) ?? (chunk.rest !== undefined && include.includes('failed'));
}

const gone = () =>
  new AppError('upload_missing', { message: 'The requests or results of that batch are no longer kept.' });
