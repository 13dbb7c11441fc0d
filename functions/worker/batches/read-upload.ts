import type { Batch } from '../../../shared/contract/batches/batch.ts';
import { ended } from '../../../shared/domain/batches/state.ts';
import { linesForSlots, SMALL_UPLOAD_BYTES } from '../../../shared/domain/batches/chunk-size.ts';
import { splitLines } from '../../../shared/domain/batches/split-lines.ts';
import { AppError, toAppError } from '../../../shared/errors.ts';
import { inPlace, type PlaceNeeds } from '../../../shared/use-cases/accounts/in-place.ts';
import { acceptBatch, type AcceptNeeds } from '../../../shared/use-cases/batches/accept-batch.ts';
import { closeBatch } from '../../../shared/use-cases/batches/settle-chunk.ts';
import { copyFailed, type CopyNeeds } from './copy-failed.ts';
import { type ReadContext, divideUpload, uploadGone, type DivideNeeds } from './divide-upload.ts';
import { addMs } from '../../../shared/time/units.ts';

export type ReadNeeds = DivideNeeds & AcceptNeeds & CopyNeeds & PlaceNeeds;

/** Longer than an invocation. */
const INVOCATION_MS = 5 * 60_000;
const LATE = 'The upload could not be read in time.';

/**
 * Divides an upload into chunks, then accepts its batch. Safe to run again, and to be killed after any line:
 * it resumes at the last saved position, and the same lines make the same chunks. Continues in another
 * invocation when the signal aborts. Throws `too_many_concurrent` if its organization has no place for it.
 */
export async function readUpload(fx: ReadNeeds, id: string, context: ReadContext): Promise<void> {
  const batch = await fx.batches.find(id);
  if (batch?.state !== 'reading' || batch.cancelledAt) return;
  const organization = await fx.organizations.find(batch.orgId);
  if (organization === undefined) return;
  const until = addMs(fx.now(), INVOCATION_MS);
  await inPlace(fx, { organization, id, until }, () => readBatch(fx, batch, context));
}

async function readBatch(fx: ReadNeeds, batch: Batch, context: ReadContext): Promise<void> {
  try {
    if (batch.deadlineAt <= fx.now()) throw new AppError('deadline_exceeded', { message: LATE });
    const whole = await withUpload(fx, batch);
    const chunkLines = await chunkLinesOf(fx, whole);
    const divided = await divideUpload(fx, whole, { ...context, chunkLines });
    if (divided) await acceptBatch(fx, divided);
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    if (code === 'internal' || code === 'busy') throw thrown;
    const refused = ended(batch, fx.now(), { code, message });
    if (await fx.batches.advance(refused, 'reading')) await closeBatch(fx, refused);
  }
}

/** The failed requests of another batch are copied first. */
async function withUpload(fx: ReadNeeds, batch: Batch): Promise<Batch> {
  const { key, version, retryOf, retryInclude: include = ['failed'] } = batch.upload;
  if (version !== undefined || retryOf === undefined) return batch;
  // A second copy beside this one would be the same, but for nothing.
  await fx.batches.postpone(batch, addMs(fx.now(), INVOCATION_MS));
  const copied = await copyFailed(fx, retryOf, { key, include });
  const found = { ...batch, upload: { ...batch.upload, version: copied } };
  await fx.batches.advance(found, 'reading');
  return found;
}

/** By the slots of its submit: all workers that read it make the same chunks, whatever the plan says. */
async function chunkLinesOf(fx: ReadNeeds, { upload }: Batch): Promise<number | undefined> {
  const { key, version = '', slots, chunkLines } = upload;
  if (chunkLines !== undefined || slots === undefined) return chunkLines;
  const { bytes = 0 } = (await fx.uploads.find(key)) ?? {};
  if (bytes > SMALL_UPLOAD_BYTES) return undefined;
  const stream = await fx.uploads.read({ key, version }, 0);
  if (stream === undefined) throw uploadGone();
  let lines = 0;
  for await (const _ of splitLines(stream)) lines += 1;
  return linesForSlots(lines, slots);
}
