import type { Batch, BatchCounts } from '../../contract/batches/batch.ts';
import type { BatchItem } from '../../contract/batches/batch-request.ts';
import type { Chunk } from '../../contract/batches/chunk.ts';
import type { SlotsInUse } from '../../contract/accounts/account.ts';
import { holderOf, laneOf } from '../accounts/credits/slots.ts';
import { STALE_MS } from '../work/lease.ts';
import { expiryAfter } from '../work/retention.ts';
import { failRest, newChunk } from './chunk-state.ts';
import { indexOf } from './chunk-id.ts';
import { addedUp } from './verdicts.ts';
import { addMs, HOUR_MS } from '../../time/units.ts';

const BATCH_DEADLINE_MS = 24 * HOUR_MS;
/** How long an upload may be sent. */
export const UPLOAD_SECONDS = 3_600;
/** Batches of an organization that wait for their upload at once. */
export const MAX_AWAITED = 50;
/** A batch that is never started is deleted after this. */
const WAIT_MS = 24 * HOUR_MS;
/** The sweeper has the requests read again if no process reports progress. */
export const READ_AGAIN_MS = 90_000;

type NewBatch = Pick<Batch, 'id' | 'orgId' | 'keyId' | 'requestId' | 'tags' | 'webhook' | 'compatHook'> & {
  /** Requests, if they are known. */
  total?: number;
  upload: Omit<Batch['upload'], 'key'> & { key?: string };
};

/** A batch that waits for its requests. */
export function newBatch({ upload, total = 0, ...batch }: NewBatch, now: Date): Batch {
  const deadlineAt = addMs(now, WAIT_MS);
  const key = `results/${batch.orgId}/${batch.id}/requests.ndjson`;
  const times = { createdAt: now, deadlineAt, expiresAt: expiryAfter(deadlineAt, 0), dueAt: deadlineAt };
  return { ...batch, ...times, state: 'waiting_for_upload', total, upload: { key, ...upload } };
}

/** Its time begins now. `version` names the stored requests: others are not read. */
export function started(batch: Batch, version: string | undefined, now: Date): Batch {
  const { completeWithin } = batch.upload;
  const deadlineAt = addMs(now, completeWithin === undefined ? BATCH_DEADLINE_MS : completeWithin * 1_000);
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
    dueAt: addMs(now, READ_AGAIN_MS),
  };
}

export function withRead(batch: Batch, read: Batch['upload']['read'], now: Date): Batch {
  return { ...batch, upload: { ...batch.upload, read }, dueAt: addMs(now, READ_AGAIN_MS) };
}

/** All of its chunks exist. Without a request it has ended. */
export function accepted(
  batch: Batch,
  { lines, chunks }: { lines: number; chunks: number },
  now: Date,
): Batch {
  const { read: _, ...upload } = batch.upload;
  const read = { ...batch, state: 'accepted' as const, total: lines, upload: { ...upload, chunks } };
  return lines === 0
    ? { ...read, completedAt: now, dueAt: addMs(now, STALE_MS) }
    : { ...read, dueAt: batch.deadlineAt };
}

/**
 * Ended before any of its requests ran, by its caller or because of `error`; due until it is closed. Requests
 * that were not stored are none of its own.
 */
export function ended(batch: Batch, now: Date, error?: Batch['error']): Batch {
  const total = batch.upload.version === undefined ? 0 : batch.total;
  const times = { cancelledAt: now, completedAt: now, dueAt: addMs(now, STALE_MS) };
  return { ...batch, ...times, total, ...(error && { error }) };
}

/** Read as one byte range: it ends with the last line. */
const WHOLE = Number.MAX_SAFE_INTEGER;

/** One chunk for all requests of a batch that ended before it was divided: none of them ran. */
export function chunkNotRun(batch: Batch): Chunk | undefined {
  const { completedAt, total, error, upload } = batch;
  if (completedAt === undefined || upload.chunks !== undefined || total === 0) return undefined;
  const whole = newChunk(batch, { index: 0, at: 0, bytes: WHOLE, lines: total, firstLine: 1 });
  return { ...failRest(whole, error?.code ?? 'cancelled', completedAt), status: 'closed' };
}

/** The tags of a request: its batch's and its own. */
export function tagsOf(batch: Pick<Batch, 'tags'>, { tags = [] }: Pick<BatchItem, 'tags'>): string[] {
  return [...new Set([...(batch.tags ?? []), ...tags])];
}

/** The progress of a batch. */
export type Summary = Pick<BatchCounts, 'invalid' | 'completed' | 'failed' | 'charged'> & {
  credits: number;
  verdicts: BatchCounts['by_verdict'];
  /** Whether the chunk with this index has ended. */
  hasEnded: (index: number) => boolean;
};

type Counted = Pick<
  Chunk,
  'index' | 'completed' | 'failed' | 'invalid' | 'credits' | 'charged' | 'verdicts'
> & { isDone: boolean };

export function summaryOf(progress: readonly Counted[]): Summary {
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

/** Counts of this moment: what has a slot and has not ended is in progress. */
export function countsOf(
  { id, total }: Pick<Batch, 'id' | 'total'>,
  { invalid, completed, failed, charged, verdicts, hasEnded }: Summary,
  slots: SlotsInUse,
): BatchCounts {
  const held = Object.keys(slots).filter((slotId) => {
    const index = indexOf(id, holderOf(slotId));
    return index !== undefined && !hasEnded(index);
  });
  const left = total - invalid - completed - failed;
  const running = Math.min(new Set(held.map(laneOf)).size, left);
  const uncharged = total - left - charged;
  return {
    ...{ total, invalid, pending: left - running, running, completed, failed, charged, uncharged },
    by_verdict: verdicts,
  };
}
