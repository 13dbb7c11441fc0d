import type { Readable } from 'node:stream';
import type { ApiKeyRecord, Organization, Usage } from './contract/account.ts';
import type { Job, PendingJob } from './contract/job.ts';
import type { Page } from './contract/page.ts';
import type { ScrapeRequest } from './contract/scrape-request.ts';
import type { Admission, AdmissionRequest } from './domain/credits/admission.ts';
import type { MetricName } from './observe/metrics.ts';
import type { Trail } from './observe/trail.ts';

/** Jobs and the idempotency keys they were submitted under. */
export type Jobs = {
  /** Stores a new job. False if one with its id is there already: nothing was changed then. */
  create: (job: PendingJob) => Promise<boolean>;
  find: (id: string) => Promise<Job | undefined>;
  /**
   * Replaces a job, atomically, only while status and fencing token are still those of `before`. False if they are not:
   * somebody else moved it on, and nothing was changed.
   */
  replace: (before: Job, after: Job) => Promise<boolean>;
  /**
   * Jobs whose `dueAt` has passed, the longest overdue first, at most `limit`, and the ids of those among them that can't
   * be read, such as a later version's. Eventually consistent.
   */
  due: (now: Date, limit: number) => Promise<{ jobs: Job[]; unreadable: string[] }>;
  /**
   * Claims an idempotency key that nobody holds, or that `previous` holds unchanged. Gives back the claim that holds
   * afterwards: the caller's own or somebody else's.
   */
  claimKey: (claim: IdempotencyClaim, now: Date, previous?: IdempotencyClaim) => Promise<IdempotencyClaim>;
  /** The claim that holds, if there is one. */
  heldKey: (
    claim: Pick<IdempotencyClaim, 'orgId' | 'key'>,
    now: Date,
  ) => Promise<IdempotencyClaim | undefined>;
  /** Gives up a claim whose job was not created, so that the same key can be used again at once. */
  releaseKey: (claim: IdempotencyClaim) => Promise<void>;
};

export type IdempotencyClaim = {
  orgId: string;
  /** What the caller sent as Idempotency-Key. */
  key: string;
  /** SHA-256 of the canonical request, hexadecimal. */
  bodyHash: string;
  jobId: string;
  /** Nobody else may resume the submit before then, unix milliseconds. */
  lockedUntil: number;
  /** Remembered until then. */
  expiresAt: Date;
};

/** Organizations, their keys and their usage. */
export type Accounts = {
  findKey: (id: string) => Promise<ApiKeyRecord | undefined>;
  findOrganization: (id: string) => Promise<Organization | undefined>;
  keysOf: (orgId: string) => Promise<ApiKeyRecord[]>;
  /** All there are, the oldest first. Reads every account: for operators, not for requests. */
  organizations: () => Promise<Organization[]>;
  /** Creates or overwrites: for operators, not for requests. */
  saveOrganization: (organization: Organization) => Promise<void>;
  saveKey: (key: ApiKeyRecord) => Promise<void>;
  /** Usage as of now, a new month already renewed. */
  usage: (organization: Organization, now: Date) => Promise<Usage>;
  /** Takes a place in a bucket, a slot and credits: all of what is asked in one atomic write, or nothing. */
  admit: (organization: Organization, request: AdmissionRequest, now: Date) => Promise<Admission>;
  /** Frees a slot and charges for it, once: a slot that is no longer there changes nothing. */
  settle: (organization: Organization, settlement: Settlement, now: Date) => Promise<Usage>;
  /** Adds credits to this month, atomically and once: a grant of the same id changes nothing. */
  grant: (organization: Organization, grant: Grant, now: Date) => Promise<Usage>;
  /** Gives back the place of a result that is no longer read: one that is no longer there changes nothing. */
  release: (organization: Organization, readerId: string) => Promise<void>;
};

/** What becomes of the credits that a slot held. */
export type Settlement = { slotId: string; held: number; charged: number };

/** Credits that an operator adds to a month. */
export type Grant = { id: string; credits: number };

export type Queue = {
  /** Delivers the job's id to a worker at least once. */
  send: (job: { id: string; orgId: string }) => Promise<void>;
};

/** What the store says of the bytes behind a link. */
export type LinkHeaders = { contentType: string; contentEncoding?: 'gzip' | undefined };

/** Bodies of completed jobs. */
export type Results = {
  /** A key is written once: what is there already is taken for the same bytes. */
  put: (key: string, bytes: Uint8Array) => Promise<void>;
  /** The bytes as a stream, or undefined if there are none under this key (any more). */
  open: (key: string) => Promise<Readable | undefined>;
  /** A URL that gives anybody the bytes for a minute, under the headers given. */
  link: (key: string, headers: LinkHeaders) => Promise<string>;
};

/**
 * Gets a page. Throws an AppError with the code of whatever kept the page from coming, `timeout` once the signal
 * aborts, and the signal's own reason if that is an AppError.
 */
export type GetPage = (request: ScrapeRequest, context: ScrapeContext) => Promise<Page>;

/**
 * The URL of the upstream that a scrape goes out through, credentials and all: for no log and no error. Undefined for a
 * scrape without premium_proxy. Throws `premium_proxy_unavailable` where none is configured, `proxy_failed` where it
 * cannot be read.
 */
export type PremiumProxy = (request: ScrapeRequest, context: ScrapeContext) => Promise<string | undefined>;

export type ScrapeContext = {
  /** Of the request that asked for the page, which may be long over. */
  requestId: string;
  /** Of this one try to get it. */
  scrapeId: string;
  orgId: string;
  trail: Trail;
  /** Aborts when the page is no longer wanted. */
  signal: AbortSignal;
  /** When it does so at the latest. */
  deadlineAt: Date;
};

/** Adds to a metric. `of` is the value of its further dimension. Never throws. */
export type Count = (metric: MetricName, value: number, of?: string) => void;

/** Every effect the service has on the world. A use case names the few it needs. */
export type Effects = {
  jobs: Jobs;
  accounts: Accounts;
  queue: Queue;
  results: Results;
  /** Fetches the bytes of the target. */
  fetchPage: GetPage;
  /** Renders the page in a browser. */
  renderPage: GetPage;
  count: Count;
  now: () => Date;
  /** A new UUIDv7. */
  newId: () => string;
};
