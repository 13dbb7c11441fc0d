import type { Readable } from 'node:stream';
import type { Batch } from '../contract/batches/batch.ts';
import type { Chunk } from '../contract/batches/chunk.ts';

export type BatchEffects = { batches: Batches; chunks: Chunks; uploads: Uploads };

export type Batches = {
  /** False, without any change, if a batch of this id exists. */
  create: (batch: Batch) => Promise<boolean>;
  find: (id: string) => Promise<Batch | undefined>;
  /** False, without any change, unless the batch's state is still `from` and it was not cancelled. */
  advance: (after: Batch, from: Batch['state']) => Promise<boolean>;
  /** Has the sweeper look at a batch that is being read at another time. */
  postpone: (batch: Batch, dueAt: Date) => Promise<void>;
  /** Batches of an organization with ids before one, newest first. `next` as for jobs. */
  list: (
    orgId: string,
    range: { before?: string | undefined; limit: number },
  ) => Promise<{ batches: Batch[]; next?: string }>;
  /** Accepted batches that are neither cancelled nor completed, the earliest deadline first. */
  open: (orgId: string, limit: number) => Promise<Batch[]>;
  /** Batches that wait for their upload, and have not expired by then. Eventually consistent. */
  awaited: (orgId: string, now: Date, limit: number) => Promise<Batch[]>;
  /** Batches past their `dueAt`: not accepted, or cancelled. */
  due: (now: Date, limit: number) => Promise<Batch[]>;
  /**
   * Stops workers from starting requests, and makes the sweeper handle the batch at `dueAt`. Keeps the time
   * of an earlier cancel. Undefined, without any change, if all requests have ended.
   */
  cancel: (batch: Batch, now: Date, dueAt: Date) => Promise<Batch | undefined>;
  /** Notes that all requests have ended, and returns the batch with the first time of that. */
  complete: (id: string, now: Date) => Promise<Batch | undefined>;
};

/** The requests of batches, as lines of JSON. */
export type Uploads = {
  /** A URL that takes bytes by PUT, for so many seconds: exactly `contentLength` of them, or any number. */
  link: (key: string, seconds: number, contentLength?: number) => Promise<string>;
  /** Undefined if nothing was uploaded. */
  find: (key: string) => Promise<{ bytes: number; version: string } | undefined>;
  /** From a byte to before another one. Undefined if that version is gone. */
  read: (
    upload: { key: string; version: string },
    from: number,
    to?: number,
  ) => Promise<Readable | undefined>;
  /** Returns the version. */
  write: (key: string, bytes: Readable) => Promise<string>;
  remove: (key: string) => Promise<void>;
};

/** The progress of a chunk. */
export type ChunkProgress = Pick<
  Chunk,
  'index' | 'completed' | 'failed' | 'invalid' | 'credits' | 'charged' | 'verdicts'
> & {
  /** Parts of its results. */
  parts: number;
  isDone: boolean;
};

/** The lines of batches in the portions in which workers run them. */
export type Chunks = {
  /** False, without any change, if it exists. */
  create: (chunk: Chunk) => Promise<boolean>;
  find: (id: string) => Promise<Chunk | undefined>;
  /** The existing ones, in any order. */
  findAll: (ids: readonly string[]) => Promise<Chunk[]>;
  /** False, without any change, unless status, token and version still equal `before`. */
  replace: (before: Chunk, after: Chunk) => Promise<boolean>;
  /** Chunks of a batch that wait, delayed ones last. Eventually consistent. */
  waiting: (batch: Pick<Batch, 'id' | 'orgId'>, limit: number) => Promise<Chunk[]>;
  /** Chunks past their lease, or that were not settled in time. */
  due: (now: Date, limit: number) => Promise<Chunk[]>;
  /** Notes how far a chunk is, unless a newer version was noted. True if all chunks of the batch are done. */
  count: (chunk: Chunk, chunks: number) => Promise<boolean>;
  /** Of the chunks that were counted, by their indexes. */
  progress: (batchId: string, chunks: number) => Promise<ChunkProgress[]>;
};
