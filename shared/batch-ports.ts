import type { Batch } from './contract/batch.ts';
import type { Job } from './contract/job.ts';
import type { Progress } from './domain/batch/state.ts';

/** Batches, and how their jobs ended. */
export type Batches = {
  /** False, without any change, if a batch of this id exists. */
  create: (batch: Batch) => Promise<boolean>;
  find: (id: string) => Promise<Batch | undefined>;
  /** Has workers look at a batch whose jobs all exist. False if the batch is not being prepared. */
  accept: (batch: Batch) => Promise<boolean>;
  /** False, without any change, unless the batch's state is still `from` and it was not cancelled. */
  advance: (after: Batch, from: Batch['state']) => Promise<boolean>;
  /** Has the sweeper look at a batch that is being read at another time. */
  postpone: (batch: Batch, dueAt: Date) => Promise<void>;
  /** Keeps a submit from accepting the batch, which is due again at `dueAt`. False if it was accepted. */
  abandon: (batch: Batch, dueAt: Date) => Promise<boolean>;
  /** Deletes an abandoned batch. */
  discard: (batch: Batch) => Promise<void>;
  /** Batches of an organization with ids before one, newest first. `next` as for jobs. */
  list: (
    orgId: string,
    range: { before?: string | undefined; limit: number },
  ) => Promise<{ batches: Batch[]; next?: string }>;
  /** Accepted batches that are neither cancelled nor completed, the earliest deadline first. */
  open: (orgId: string, limit: number) => Promise<Batch[]>;
  /** Those that wait for their upload, and have not expired by then. May lag behind by moments. */
  awaited: (orgId: string, now: Date, limit: number) => Promise<Batch[]>;
  /** Batches past their `dueAt`: those that were not accepted, and cancelled ones. */
  due: (now: Date, limit: number) => Promise<Batch[]>;
  /**
   * Has workers leave the batch alone, and the sweeper look at it at `dueAt`. Undefined, without any change,
   * if all of its jobs have ended. Keeps the time of an earlier cancel.
   */
  cancel: (batch: Batch, now: Date, dueAt: Date) => Promise<Batch | undefined>;
  /** Counts a job that ended, once. True if all jobs have: also when the last one is counted again. */
  count: (batch: BatchPlace, outcome: number | 'failed', expiresAt: Date) => Promise<boolean>;
  /** Notes that all jobs have ended, and returns the batch with the first time of that. */
  complete: (id: string, now: Date) => Promise<Batch | undefined>;
  progress: (batch: Pick<Batch, 'id' | 'total'>) => Promise<Progress>;
};

/** A job's place in its batch. */
export type BatchPlace = NonNullable<Job['batch']>;
