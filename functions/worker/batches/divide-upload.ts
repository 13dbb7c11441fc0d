import type { Batch } from '../../../shared/contract/batches/batch.ts';
import { assertTotal, cost } from '../../../shared/domain/accounts/credits/charge.ts';
import { MAX_LINES } from '../../../shared/domain/batches/chunk-size.ts';
import { cutChunks, START } from '../../../shared/domain/batches/cut-chunks.ts';
import { splitLines } from '../../../shared/domain/batches/split-lines.ts';
import { accepted, withRead } from '../../../shared/domain/batches/state.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Effects } from '../../../shared/ports/effects.ts';
import type { TargetPolicy } from '../../../shared/request/parse-scrape-request.ts';
import { readLine } from '../../../shared/request/read-line.ts';
import { forEachConcurrently } from '../../../shared/time/for-each-concurrently.ts';

export type DivideNeeds = Pick<Effects, 'batches' | 'chunks' | 'uploads' | 'queue' | 'now'>;

export type ReadContext = { policy: TargetPolicy; signal: AbortSignal };
type Division = ReadContext & {
  /** Lines of a chunk, the same whenever this upload is read. */
  chunkLines?: number | undefined;
};

/** Chunks that are created together, before it is noted how far the upload was read. */
const TOGETHER = 200;
const CONCURRENCY = 50;

/** The batch, as it may be accepted: undefined if it has ended or another invocation continues. */
export async function divideUpload(
  fx: DivideNeeds,
  batch: Batch,
  { policy, signal, chunkLines }: Division,
): Promise<Batch | undefined> {
  const { key, version = '', maxCredits, defaults } = batch.upload;
  const progress = { ...(batch.upload.read ?? START) };
  const stream = await fx.uploads.read({ key, version }, progress.at);
  if (stream === undefined) throw uploadGone();
  const chunks = cutChunks(batch, progress, chunkLines);
  const keep = async () => {
    await forEachConcurrently(CONCURRENCY, chunks.take(), async (chunk) => fx.chunks.create(chunk));
    return fx.batches.advance(withRead(batch, { ...progress }, fx.now()), 'reading');
  };

  let cut = 0;
  for await (const found of splitLines(stream, progress)) {
    if (++progress.requests > MAX_LINES) throw tooManyLines();
    // Only a cap of the whole batch needs to know what each of them costs.
    const { item } =
      maxCredits === undefined ? {} : readLine(found.content?.toString(), { defaults, policy });
    if (item) progress.credits += cost(item);
    const before = cut;
    cut = chunks.add(found);
    // It continues after a chunk: the line after it begins the next one.
    if (cut === before || (cut < TOGETHER && !signal.aborted)) continue;
    if (!(await keep())) return undefined;
    cut = 0;
    if (!signal.aborted) continue;
    await fx.queue.readUpload(batch);
    return undefined;
  }
  assertTotal(progress.credits, maxCredits);
  chunks.close();
  const { requests: lines, chunk } = progress;
  return (await keep()) ? accepted(batch, { lines, chunks: chunk }, fx.now()) : undefined;
}

export const uploadGone = () =>
  new AppError('upload_missing', { message: 'The upload was replaced or deleted.' });

function tooManyLines(): AppError {
  const message = `The upload has more than ${MAX_LINES.toLocaleString('en')} requests. Divide it into several batches.`;
  return new AppError('upload_too_large', { message });
}
