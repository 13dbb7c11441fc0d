import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import type { Chunk } from '../../../shared/contract/chunk.ts';
import { jobIdOf } from '../../../shared/domain/batch/job-id.ts';
import { partKey } from '../../../shared/domain/upload/part-key.ts';
import { isUpload, type UploadBatch } from '../../../shared/domain/upload/upload-state.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Effects } from '../../../shared/ports.ts';
import { storedLines } from '../../../shared/domain/upload/stored-lines.ts';
import { splitLines } from '../../../shared/domain/upload/split-lines.ts';

type Needs = Pick<Effects, 'batches' | 'chunks' | 'uploads' | 'results'>;

/** A line without an attempt is no request. */
const Head = z.object({ line: z.int(), status: z.string(), attempts: z.int() });
const LINE_FEED = '\n';

/** Writes the failed requests of a batch as an upload of its own, in the order of their lines. */
export async function copyFailed(fx: Needs, batchId: string, key: string): Promise<void> {
  const batch = await fx.batches.find(batchId);
  if (batch === undefined || !isUpload(batch)) throw new AppError('upload_missing');
  await fx.uploads.write(key, Readable.from(failedLines(fx, batch)));
}

async function* failedLines(fx: Needs, batch: UploadBatch): AsyncGenerator<Buffer> {
  const { key, version = '', chunks = 0 } = batch.upload;
  for (let index = 0; index < chunks; index++) {
    const chunk = await fx.chunks.find(jobIdOf(batch.id, index));
    if (chunk === undefined || chunk.failed === 0) continue;
    const mayRetry = await retriableIn(fx, chunk);
    const stream = await fx.uploads.read({ key, version }, chunk.at, chunk.at + chunk.bytes);
    if (stream === undefined) throw new AppError('upload_missing');
    for await (const { line, text } of splitLines(stream, { line: chunk.firstLine, at: chunk.at }))
      if (text !== undefined && mayRetry(line)) yield Buffer.from(`${text.trim()}${LINE_FEED}`);
  }
}

/** Lines that failed. One that was not run has failed if none of the chunk will run any more. */
async function retriableIn({ results }: Needs, chunk: Chunk): Promise<(line: number) => boolean> {
  const failed = new Map<number, boolean>();
  for (const { token } of chunk.parts) {
    const stored = await results.open(partKey(chunk, token, 'heads'));
    if (stored === undefined) throw new AppError('upload_missing');
    for await (const text of storedLines(pipeline(stored, createGunzip(), () => undefined))) {
      const { line, status, attempts } = Head.parse(JSON.parse(text.toString()));
      failed.set(line, status === 'failed' && attempts > 0);
    }
  }
  return (line) => failed.get(line) ?? chunk.rest !== undefined;
}
