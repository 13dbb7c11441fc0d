import type { Readable } from 'node:stream';
import type { ApiKeyRecord, Organization, Usage } from './contract/account.ts';
import type { ActivityLine } from './contract/activity.ts';
import type { Job, OpenJob, PendingJob } from './contract/job.ts';
import type { Admission, AdmissionRequest } from './domain/credits/admission.ts';
import type { HandOver } from './domain/credits/hand-over.ts';
import type { LowKey } from './domain/credits/low-credits.ts';
import type { DayCounts, Ended, Tally } from './domain/credits/usage-days.ts';
import type { MetricName } from './observe/metrics.ts';
import type { Batches } from './batch-ports.ts';
import type { Convert, GetPage } from './page-ports.ts';
import type { Identities, People, Visits } from './people-ports.ts';
import type { EventType } from './contract/webhook.ts';
import type { UploadEffects } from './upload-ports.ts';
import type { WebhookEffects } from './webhook-ports.ts';

export type Jobs = {
  /** False, without any change, if a job of this id exists. */
  create: (job: PendingJob) => Promise<boolean>;
  find: (id: string) => Promise<Job | undefined>;
  /** Those that exist, in any order. */
  findAll: (ids: readonly string[]) => Promise<Job[]>;
  /** False if token or status have changed since `before`. A running job may still be stored as pending. */
  replace: (before: Job, after: Job) => Promise<boolean>;
  /** Deletes a job. False, without any change, unless status and fencing token are still the same. */
  remove: (job: Job) => Promise<boolean>;
  /**
   * Jobs of an organization with ids in a range, both ends excluded, newest first. `next` is the last id that
   * was looked at, absent at the end. A job may be listed a moment after its submit.
   */
  list: (
    orgId: string,
    range: { after?: string | undefined; before?: string | undefined; limit: number },
  ) => Promise<{ jobs: Job[]; next?: string }>;
  /** Jobs past their `dueAt`, longest overdue first, and the ids of those that a later version wrote. */
  due: (now: Date, limit: number) => Promise<{ jobs: Job[]; unreadable: string[] }>;
  /**
   * Jobs of a backlog, also in progress, the earliest deadline first, from a `dueAt` on and after another;
   * fewer than the limit at its end. Those that came or left moments ago may be missing or still listed.
   */
  waiting: (
    backlog: Backlog,
    range: { limit: number; from?: Date | undefined; after?: OpenJob | undefined },
  ) => Promise<OpenJob[]>;
  /** Claims a key that is free, or held by `previous`. Returns the claim that holds afterwards. */
  claimKey: (claim: IdempotencyClaim, now: Date, previous?: IdempotencyClaim) => Promise<IdempotencyClaim>;
  heldKey: (
    claim: Pick<IdempotencyClaim, 'orgId' | 'key'>,
    now: Date,
  ) => Promise<IdempotencyClaim | undefined>;
  /** Releases a claim whose job was not created, so that the key can be used at once. */
  releaseKey: (claim: IdempotencyClaim) => Promise<void>;
};

/** Of an organization's single jobs, or of one of its batches. */
export type Backlog = { orgId: string; batchId?: string | undefined };

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

export type Accounts = {
  findKey: (id: string) => Promise<ApiKeyRecord | undefined>;
  findOrganization: (id: string) => Promise<Organization | undefined>;
  keysOf: (orgId: string) => Promise<ApiKeyRecord[]>;
  /** The oldest first. Reads every account: for operators only. */
  organizations: () => Promise<Organization[]>;
  /** Creates or overwrites: for operators only. */
  saveOrganization: (organization: Organization) => Promise<void>;
  /** Deletes an organization and its usage, nothing else: for operators only. */
  removeOrganization: (id: string) => Promise<void>;
  /** False, without any change, if an organization of this id exists. */
  addOrganization: (organization: Organization) => Promise<boolean>;
  saveKey: (key: ApiKeyRecord) => Promise<void>;
  /** False if the key is not active. */
  replaceKey: (key: ApiKeyRecord) => Promise<boolean>;
  /** Notes that a key was used, at most once an hour. */
  touchKey: (orgId: string, keyId: string, now: Date) => Promise<void>;
  /** When keys were last used, to within an hour, by id. */
  keysUsed: (orgId: string) => Promise<Record<string, Date>>;
  usage: (organization: Organization, now: Date) => Promise<Usage>;
  /** Counters of the UTC days from one to another, both included. */
  usageDays: (organization: Organization, from: string, to: string) => Promise<Record<string, DayCounts>>;
  /** Takes a request, a slot and credits in one atomic write, or nothing. */
  admit: (organization: Organization, request: AdmissionRequest, now: Date) => Promise<Admission>;
  /** Frees a slot, and charges and counts its scrapes once; without the slot, nothing changes. */
  settle: (organization: Organization, settlement: Settlement, now: Date) => Promise<Usage>;
  /**
   * Settles a slot and takes another one for a job, in one atomic write. Undefined, without any change, if
   * one write cannot do both: then `settle` and `admit` decide.
   */
  handOver: (organization: Organization, wanted: HandOver, now: Date) => Promise<Usage | undefined>;
  /** Adds credits to this month, atomically and once: a grant of the same id changes nothing. */
  grant: (organization: Organization, grant: Grant, now: Date) => Promise<Usage>;
  /** Notes that jobs wait for a slot. False, without any change, if a job may begin. */
  noteWaiting: (organization: Organization, now: Date) => Promise<boolean>;
  /** Notes the same whether or not a slot is free. */
  noteBacklog: (organization: Organization, now: Date) => Promise<void>;
  /** Notes that no job waits, unless that was noted again since `waitingAt`. */
  clearWaiting: (organization: Organization, waitingAt: number) => Promise<void>;
  /** Has the next slot of a job put the organization on the sweeper's list again. */
  unlist: (organization: Organization) => Promise<void>;
  /** Organizations whose jobs have slots or may wait for one, and since when, in unix milliseconds. */
  listedOrganizations: () => Promise<{ orgId: string; since: number }[]>;
  /** Takes an organization off that list, unless it was put there again. */
  takeOffList: (orgId: string, since: number) => Promise<void>;
  /** Notes that endpoints receive these types of events, which the usage says from then on. */
  noteEvents: (organization: Organization, types: readonly EventType[], now: Date) => Promise<void>;
  /** Notes that a level of the month's credits is reached, once. Returns the mark that holds. */
  markLow: (organization: Organization, key: LowKey, now: Date) => Promise<string>;
  /** Notes that an event has reported it. */
  reportLow: (organization: Organization, mark: string) => Promise<void>;
  /** Frees a reader; without it, nothing changes. */
  release: (organization: Organization, readerId: string) => Promise<void>;
};

/** Without `ended` the attempt is given back: nothing is charged or counted. */
export type Settlement = { slotId: string; held: number; ended?: Tally | undefined };

export type Activity = {
  /** Writes the line of a scrape that ended. The same line again changes nothing. */
  record: (line: ActivityLine) => Promise<void>;
  /** An organization's lines from one time to another in ISO 8601, newest first, older than a position. */
  lines: (
    orgId: string,
    range: { from: string; to: string; before?: string | undefined; limit: number },
  ) => Promise<{ position: string; line: ActivityLine }[]>;
  /** How the sync scrape of a slot ended, if its line says so. */
  endOf: EndOf;
};

export type EndOf = (orgId: string, slotId: string) => Promise<Ended | undefined>;

/** Credits that an operator adds to a month. */
export type Grant = { id: string; credits: number };

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
  /** Has a worker read the upload of a batch. */
  readUpload: (batch: { id: string; orgId: string }) => Promise<void>;
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

/** Adds to a metric; `of` is the value of its extra dimension. Never throws. */
export type Count = (metric: MetricName, value: number, of?: string) => void;

/** Every effect of the service. A use case names the few it needs. */
export type Effects = WebhookEffects &
  UploadEffects & {
    jobs: Jobs;
    batches: Batches;
    accounts: Accounts;
    activity: Activity;
    identities: Identities;
    people: People;
    visits: Visits;
    queue: Queue;
    results: Results;
    fetchPage: GetPage;
    renderPage: GetPage;
    convert: Convert;
    count: Count;
    /** The URL by which callers know the API, without a slash at its end. */
    apiUrl: string;
    now: () => Date;
    newId: () => string;
    wait: (ms: number) => Promise<void>;
  };
