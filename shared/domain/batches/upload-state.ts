import type { Batch } from '../../contract/batches/batch.ts';
import type { Chunk } from '../../contract/batches/chunk.ts';
import { BATCH_DEADLINE_MS, type Summary } from './state.ts';
import { expiryAfter, later, STALE_MS } from '../jobs/timing.ts';
import { addedUp } from './verdicts.ts';

const HOUR_MS = 60 * 60_000;
/** How long an upload may be sent. */
export const UPLOAD_SECONDS = 3_600;
/** Batches of an organization that wait for their upload at once. */
export const MAX_AWAITED = 50;
/** A batch that is never started is deleted after this. */
const WAIT_MS = 24 * HOUR_MS;
/** The sweeper has the upload read again if no worker reports progress. */
export const READ_AGAIN_MS = 90_000;

/** A batch whose requests are uploaded. */
export type UploadBatch = Batch & { upload: NonNullable<Batch['upload']> };

export function isUpload(batch: Batch): batch is UploadBatch {
  return batch.upload !== undefined;
}

type NewUpload = Pick<Batch, 'id' | 'orgId' | 'keyId' | 'requestId' | 'tags' | 'webhook'> & {
  upload: Omit<UploadBatch['upload'], 'key'>;
};

export function newUpload({ upload, ...batch }: NewUpload, now: Date): UploadBatch {
  const deadlineAt = later(now, WAIT_MS);
  const key = `results/${batch.orgId}/${batch.id}/requests.ndjson`;
  const times = { createdAt: now, deadlineAt, expiresAt: expiryAfter(deadlineAt, 0), dueAt: deadlineAt };
  return { ...batch, ...times, state: 'waiting_for_upload', total: 0, upload: { ...upload, key } };
}

/** Its time begins now. `version` names the uploaded bytes: others are not read. */
export function started(batch: UploadBatch, version: string | undefined, now: Date): UploadBatch {
  const { completeWithin } = batch.upload;
  const deadlineAt = later(now, completeWithin === undefined ? BATCH_DEADLINE_MS : completeWithin * 1_000);
  const upload = { ...batch.upload, ...(version !== undefined && { version }) };
  // The bucket keeps its objects as long, and all results are newer than the start.
  const expiresAt = expiryAfter(now);
  return {
    ...batch,
    upload,
    state: 'reading',
    startedAt: now,
    deadlineAt,
    expiresAt,
    dueAt: later(now, READ_AGAIN_MS),
  };
}

export function withRead(batch: UploadBatch, read: UploadBatch['upload']['read'], now: Date): UploadBatch {
  return { ...batch, upload: { ...batch.upload, read }, dueAt: later(now, READ_AGAIN_MS) };
}

/** All of its chunks exist. Without a request it has ended. */
export function accepted(
  batch: UploadBatch,
  { lines, chunks }: { lines: number; chunks: number },
  now: Date,
): UploadBatch {
  const { read: _, ...upload } = batch.upload;
  const read = { ...batch, state: 'accepted' as const, total: lines, upload: { ...upload, chunks } };
  return lines === 0
    ? { ...read, completedAt: now, dueAt: later(now, STALE_MS) }
    : { ...read, dueAt: batch.deadlineAt };
}

/** Ended before any of its requests ran, by its caller or because of `error`; due until it is closed. */
export function ended(batch: UploadBatch, now: Date, error?: Batch['error']): UploadBatch {
  const times = { cancelledAt: now, completedAt: now, dueAt: later(now, STALE_MS) };
  return { ...batch, ...times, ...(error && { error }) };
}

type Counted = Pick<
  Chunk,
  'index' | 'completed' | 'failed' | 'invalid' | 'credits' | 'charged' | 'verdicts'
> & { isDone: boolean };

export function summaryOfChunks(progress: readonly Counted[]): Summary {
  const sum = (name: 'completed' | 'failed' | 'invalid' | 'credits' | 'charged') =>
    progress.reduce((total, chunk) => total + chunk[name], 0);
  const done = new Set(progress.filter(({ isDone }) => isDone).map(({ index }) => index));
  return {
    invalid: sum('invalid'),
    completed: sum('completed'),
    failed: sum('failed'),
    credits: sum('credits'),
    charged: sum('charged'),
    verdicts: addedUp(progress.map(({ verdicts }) => verdicts)),
    hasEnded: (index) => done.has(index),
  };
}
