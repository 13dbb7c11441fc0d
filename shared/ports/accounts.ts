import type { ApiKeyRecord, Organization, Usage } from '../contract/accounts/account.ts';
import type { ActivityLine } from '../contract/accounts/activity.ts';
import type { EventType } from '../contract/webhooks/webhook.ts';
import type { Admission, AdmissionRequest } from '../domain/accounts/credits/admission.ts';
import type { HandOver } from '../domain/accounts/credits/hand-over.ts';
import type { LowKey } from '../domain/accounts/credits/low-credits.ts';
import type { DayCounts, Ended, Tally } from '../domain/accounts/credits/usage-days.ts';

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

/** Something stored for an organization. Without a kind it is a part of another thing, and not counted. */
export type StoredThing = { kind?: string | undefined; key: Readonly<Record<string, string>> };

/** A place where things of organizations are stored. */
export type Store = {
  /** The items of an organization, in portions. May read the whole store: for operators only. */
  find: (orgId: string) => AsyncIterable<readonly StoredThing[]>;
  /** Safe to repeat. */
  remove: (things: readonly StoredThing[]) => Promise<void>;
};
