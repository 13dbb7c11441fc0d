import type { Chunk } from '../../../shared/contract/chunk.ts';
import { assertTotal, cost } from '../../../shared/domain/credits/charge.ts';
import { later } from '../../../shared/domain/job/timing.ts';
import { newChunk } from '../../../shared/domain/upload/chunk-state.ts';
import { linesOfChunk, MAX_LINES } from '../../../shared/domain/upload/chunk-size.ts';
import {
  accepted,
  ended,
  isUpload,
  type UploadBatch,
  withRead,
} from '../../../shared/domain/upload/upload-state.ts';
import { AppError, toAppError } from '../../../shared/errors.ts';
import type { Effects } from '../../../shared/ports.ts';
import type { TargetPolicy } from '../../../shared/request/parse-scrape-request.ts';
import { readLine } from '../../../shared/request/read-line.ts';
import { atOnce } from '../../../shared/time/at-once.ts';
import { closeUpload } from '../../../shared/use-cases/settle-chunk.ts';
import { wakeWorkers } from '../../../shared/use-cases/wake-workers.ts';
import { copyFailed } from './copy-failed.ts';
import { splitLines } from '../../../shared/domain/upload/split-lines.ts';

type Needs = Pick<
  Effects,
  | 'accounts'
  | 'batches'
  | 'chunks'
  | 'uploads'
  | 'results'
  | 'queue'
  | 'webhooks'
  | 'deliveries'
  | 'notices'
  | 'now'
>;

type Context = { policy: TargetPolicy; signal: AbortSignal };

/** Chunks that are created together, before it is noted how far the upload was read. */
const TOGETHER = 200;
const AT_ONCE = 50;
/** Longer than an invocation. */
const COPY_MS = 5 * 60_000;
const LATE = 'The upload could not be read in time.';

/**
 * Divides an upload into chunks, then accepts its batch. Safe to run again, and to be killed after any line:
 * it goes on where it was noted last, and the same lines make the same chunks. Goes on in another invocation
 * when the signal aborts.
 */
export async function readUpload(fx: Needs, id: string, context: Context): Promise<void> {
  const batch = await fx.batches.find(id);
  if (batch?.state !== 'reading' || batch.cancelledAt || !isUpload(batch)) return;
  try {
    if (batch.deadlineAt <= fx.now()) throw new AppError('deadline_exceeded', { message: LATE });
    await read(fx, await withUpload(fx, batch), context);
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    if (code === 'internal' || code === 'busy') throw thrown;
    const refused = ended(batch, fx.now(), { code, message });
    if (await fx.batches.advance(refused, 'reading')) await closeUpload(fx, refused);
  }
}

/** The failed requests of another batch are copied first. */
async function withUpload(fx: Needs, batch: UploadBatch): Promise<UploadBatch> {
  const { key, version, retryOf } = batch.upload;
  if (version !== undefined || retryOf === undefined) return batch;
  // A second copy beside this one would be the same, but for nothing.
  await fx.batches.postpone(batch, later(fx.now(), COPY_MS));
  await copyFailed(fx, retryOf, key);
  const copied = await fx.uploads.find(key);
  if (copied === undefined) throw uploadGone();
  const found = { ...batch, upload: { ...batch.upload, version: copied.version } };
  await fx.batches.advance(found, 'reading');
  return found;
}

async function read(fx: Needs, batch: UploadBatch, { policy, signal }: Context): Promise<void> {
  const { key, version = '', maxCredits, defaults } = batch.upload;
  let {
    at,
    line,
    chunk: index,
    requests,
    credits,
  } = batch.upload.read ?? { at: 0, line: 1, chunk: 0, requests: 0, credits: 0 };
  const stream = await fx.uploads.read({ key, version }, at);
  if (stream === undefined) throw uploadGone();
  let open: Omit<Parameters<typeof newChunk>[1], 'index'> | undefined;
  let full: Chunk[] = [];
  const close = () => {
    if (open) full.push(newChunk(batch, { ...open, index: index++ }));
    open = undefined;
  };
  const keep = async () => {
    await atOnce(AT_ONCE, full, async (chunk) => fx.chunks.create(chunk));
    full = [];
    return fx.batches.advance(
      withRead(batch, { at, line, chunk: index, requests, credits }, fx.now()),
      'reading',
    );
  };

  for await (const found of splitLines(stream, { line, at })) {
    if (++requests > MAX_LINES) throw tooManyLines();
    // Only a cap of the whole batch needs to know what each of them costs.
    const { item } =
      maxCredits === undefined ? {} : readLine(found.content?.toString(), { defaults, policy });
    if (item) credits += cost(item);
    open ??= { at: found.at, bytes: 0, lines: 0, firstLine: found.line };
    open.bytes = found.at + found.bytes - open.at;
    open.lines += 1;
    [at, line] = [found.at + found.bytes, found.line + 1];
    if (open.lines < linesOfChunk(index)) continue;
    close();
    if (full.length < TOGETHER) continue;
    if (!(await keep())) return;
    if (signal.aborted) return fx.queue.readUpload(batch);
  }
  assertTotal(credits, maxCredits);
  close();
  if (await keep()) await accept(fx, accepted(batch, { lines: requests, chunks: index }, fx.now()));
}

async function accept(fx: Needs, batch: UploadBatch): Promise<void> {
  const organization = await fx.accounts.findOrganization(batch.orgId);
  if (organization) await fx.accounts.noteBacklog(organization, fx.now());
  if (!(await fx.batches.advance(batch, 'reading'))) return;
  if (batch.completedAt) return closeUpload(fx, batch);
  if (organization === undefined) return;
  const usage = await fx.accounts.usage(organization, fx.now());
  await wakeWorkers(fx, organization, usage, batch.upload.chunks ?? 0);
}

const uploadGone = () => new AppError('upload_missing', { message: 'The upload was replaced or deleted.' });

function tooManyLines(): AppError {
  const message = `The upload has more than ${MAX_LINES.toLocaleString('en')} requests. Divide it into several batches.`;
  return new AppError('upload_too_large', { message });
}
