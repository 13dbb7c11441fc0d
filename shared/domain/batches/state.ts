import type { Batch, BatchCounts } from '../../contract/batches/batch.ts';
import type { FinishedJob, PendingJob } from '../../contract/jobs/job.ts';
import type { BatchItem } from '../../contract/batches/batch-request.ts';
import type { Usage } from '../../contract/accounts/account.ts';
import { holderOf, laneOf } from '../accounts/credits/slots.ts';
import { creditsUsed, toBacklog } from '../jobs/state.ts';
import { expiryAfter, later } from '../jobs/timing.ts';
import { indexOf, jobIdOf } from './job-id.ts';

export const BATCH_DEADLINE_MS = 24 * 60 * 60 * 1_000;

/** A submit takes less. Afterwards its batch is abandoned, and after as long again it is deleted. */
export const PREPARE_MS = 10 * 60_000;

/** How jobs of a batch ended: the credits of completed ones by index, and the indexes of failed ones. */
export type Progress = { completed: ReadonlyMap<number, number>; failed: ReadonlySet<number> };

type NewBatch = Pick<Batch, 'id' | 'orgId' | 'keyId' | 'requestId' | 'total' | 'tags' | 'webhook'> & {
  /** Seconds. */
  completeWithin?: number | undefined;
};

export function newBatch({ completeWithin, ...batch }: NewBatch, now: Date): Batch {
  const deadlineAt = later(now, completeWithin === undefined ? BATCH_DEADLINE_MS : completeWithin * 1_000);
  return {
    ...batch,
    state: 'preparing',
    createdAt: now,
    deadlineAt,
    dueAt: later(now, PREPARE_MS),
    expiresAt: expiryAfter(deadlineAt),
  };
}

/** The tags of a request: its batch's and its own. */
export function tagsOf(batch: Pick<Batch, 'tags'>, { tags = [] }: Pick<BatchItem, 'tags'>): string[] {
  return [...new Set([...(batch.tags ?? []), ...tags])];
}

/** The job of one request. It waits in the batch's own backlog. */
export function jobOf(batch: Batch, { customId, ...item }: BatchItem, index: number): PendingJob {
  const { id, orgId, keyId, requestId, total, createdAt } = batch;
  // A millisecond apart: a backlog is sorted by deadlines, and keeps the order of the batch.
  const deadlineAt = later(batch.deadlineAt, index - total);
  const { tags: _, retryOn, ...request } = item;
  const all = tagsOf(batch, item);
  const job: PendingJob = {
    id: jobIdOf(id, index),
    orgId,
    keyId,
    requestId,
    request,
    batch: { id, index, total },
    ...(all.length > 0 && { tags: all }),
    ...(retryOn && { retryOn }),
    ...(customId !== undefined && { customId }),
    status: 'pending',
    attempt: 0,
    fencingToken: 0,
    createdAt,
    deadlineAt,
    dueAt: deadlineAt,
  };
  return toBacklog(job, createdAt);
}

/** How a job counts: the credits that it cost, or that it failed. */
export function outcomeOf(job: FinishedJob): number | 'failed' {
  return job.status === 'failed' ? 'failed' : creditsUsed(job);
}

/** A batch whose submit died, or may still die, is not. */
export function isBatchVisible({ state, expiresAt }: Batch, now: Date): boolean {
  return state !== 'preparing' && state !== 'abandoned' && expiresAt > now;
}

/** How far a batch is. */
export type Summary = Pick<BatchCounts, 'invalid' | 'completed' | 'failed' | 'charged'> & {
  credits: number;
  /** Of an upload. */
  verdicts?: BatchCounts['by_verdict'];
  /** Whether the job or chunk with this index has ended. */
  hasEnded: (index: number) => boolean;
};

export function summaryOf({ completed, failed }: Progress): Summary {
  return {
    invalid: 0,
    completed: completed.size,
    failed: failed.size,
    credits: [...completed.values()].reduce((sum, credits) => sum + credits, 0),
    charged: [...completed.values()].filter((credits) => credits > 0).length,
    hasEnded: (index) => completed.has(index) || failed.has(index),
  };
}

/** Counts of this moment: what has a slot and has not ended is in progress. */
export function countsOf(
  { id, total }: Pick<Batch, 'id' | 'total'>,
  { invalid, completed, failed, charged, verdicts, hasEnded }: Summary,
  slots: Usage['slots'],
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
    ...(verdicts && { by_verdict: verdicts }),
  };
}
