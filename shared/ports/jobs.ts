import type { Readable } from 'node:stream';
import type { Job, OpenJob, PendingJob } from '../contract/jobs/job.ts';

export type JobEffects = { jobs: Jobs; queue: Queue; results: Results };

export type Jobs = {
  /** False, without any change, if a job of this id exists. */
  create: (job: PendingJob) => Promise<boolean>;
  find: (id: string) => Promise<Job | undefined>;
  /** The existing ones, in any order. */
  findAll: (ids: readonly string[]) => Promise<Job[]>;
  /** False if token or status have changed since `before`. */
  replace: (before: Job, after: Job) => Promise<boolean>;
  /** Deletes a job. False, without any change, unless status and fencing token are still the same. */
  remove: (job: Job) => Promise<boolean>;
  /**
   * Jobs of an organization with ids in a range, both ends excluded, newest first. `next` is the last id that
   * was read, absent at the end. A job may be listed a moment after its submit.
   */
  list: (
    orgId: string,
    range: { after?: string | undefined; before?: string | undefined; limit: number },
  ) => Promise<{ jobs: Job[]; next?: string }>;
  /** Jobs past their `dueAt`, longest overdue first, and the ids of jobs that a later version wrote. */
  due: (now: Date, limit: number) => Promise<{ jobs: Job[]; unreadable: string[] }>;
  /**
   * Jobs of an organization's backlog by deadline, after one of them; fewer than the limit at its end.
   * Eventually consistent.
   */
  waiting: (orgId: string, range: { limit: number; after?: OpenJob | undefined }) => Promise<OpenJob[]>;
  /** Claims a key that is free, or held by `previous`. Returns the claim that holds afterwards. */
  claimKey: (claim: IdempotencyClaim, now: Date, previous?: IdempotencyClaim) => Promise<IdempotencyClaim>;
  heldKey: (
    claim: Pick<IdempotencyClaim, 'orgId' | 'key'>,
    now: Date,
  ) => Promise<IdempotencyClaim | undefined>;
  /** Releases a claim whose job was not created, so that the key can be used at once. */
  releaseKey: (claim: IdempotencyClaim) => Promise<void>;
};

export type IdempotencyClaim = {
  orgId: string;
  /** The caller's Idempotency-Key. */
  key: string;
  /** SHA-256 of the canonical request, hexadecimal. */
  bodyHash: string;
  /** Of the job, or of the batch. */
  jobId: string;
  /** Until then no other request may resume the submit; unix milliseconds. */
  lockedUntil: number;
  expiresAt: Date;
};

/** A message as a function gets it with its invocation. */
export type QueueMessage = { messageId: string; receiptHandle: string; body: string };

/** A function's own queue, from which it takes more messages while it waits. */
export type Inbox = {
  /** So many at most, after a second without any. They return after a while unless they are removed. */
  receive: (most: number) => Promise<QueueMessage[]>;
  remove: (receiptHandle: string) => Promise<void>;
};

export type Queue = {
  /** Delivers the job's id at least once, after so many seconds, 900 at most. */
  send: (job: { id: string; orgId: string }, delaySeconds?: number) => Promise<void>;
  /** Whether messages wait for a worker. The number that SQS reports is approximate. */
  hasMessages: () => Promise<boolean>;
  /** Has a worker look at an organization's backlog, after so many seconds, 900 at most. */
  wake: (orgId: string, delaySeconds?: number) => Promise<void>;
  /** Has a worker read the requests of a batch. */
  readUpload: (batch: { id: string; orgId: string }) => Promise<void>;
  /** Has a worker merge what a crawl has found, and begin its next wave. */
  planCrawl: (crawl: { id: string; orgId: string }, delaySeconds?: number) => Promise<void>;
};

/** Headers of the response behind a link. */
export type LinkHeaders = { contentType: string; contentEncoding?: 'gzip' | undefined };

export type Results = {
  /** A key is written once: existing bytes are taken to be the same. */
  put: (key: string, bytes: Uint8Array) => Promise<void>;
  open: (key: string) => Promise<Readable | undefined>;
  /** Deletes the bytes, if they exist. */
  remove: (key: string) => Promise<void>;
  /** A URL that returns the bytes to anyone for a minute, or so many seconds, with these headers. */
  link: (key: string, headers: LinkHeaders, seconds?: number) => Promise<string>;
};
