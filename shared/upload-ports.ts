import type { Readable } from 'node:stream';
import type { Batch } from './contract/batch.ts';
import type { Chunk } from './contract/chunk.ts';

/** Requests that callers upload as lines of JSON. */
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
  write: (key: string, bytes: Readable) => Promise<void>;
  remove: (key: string) => Promise<void>;
};

/** How far a chunk is. */
export type ChunkProgress = Pick<
  Chunk,
  'index' | 'completed' | 'failed' | 'invalid' | 'credits' | 'charged' | 'verdicts'
> & {
  /** Parts of its results. */
  parts: number;
  isDone: boolean;
};

/** The lines of uploads in the portions in which workers run them. */
export type Chunks = {
  /** False, without any change, if it exists. */
  create: (chunk: Chunk) => Promise<boolean>;
  find: (id: string) => Promise<Chunk | undefined>;
  /** Those that exist, in any order. */
  findAll: (ids: readonly string[]) => Promise<Chunk[]>;
  /** False, without any change, unless status, token and version are still those of `before`. */
  replace: (before: Chunk, after: Chunk) => Promise<boolean>;
  /** Chunks of a batch that wait, those with a time to wait for last. May lag behind by moments. */
  waiting: (batch: Pick<Batch, 'id' | 'orgId'>, limit: number) => Promise<Chunk[]>;
  /** Chunks past their lease, or that were not settled in time. */
  due: (now: Date, limit: number) => Promise<Chunk[]>;
  /** Notes how far a chunk is, unless a newer version was noted. True if all chunks of the batch are done. */
  count: (chunk: Chunk, chunks: number) => Promise<boolean>;
  /** Of the chunks that were counted, by their indexes. */
  progress: (batchId: string, chunks: number) => Promise<ChunkProgress[]>;
};

export type UploadEffects = { uploads: Uploads; chunks: Chunks };
