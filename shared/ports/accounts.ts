import type { ApiKeyRecord, Organization } from '../contract/accounts/account.ts';
import type { ActivityLine } from '../contract/accounts/activity.ts';
import type { Ended } from '../domain/accounts/credits/usage-days.ts';
import type { Notes, UsageLedger, WaitList } from './usage.ts';

export type AccountEffects = {
  keys: Keys;
  organizations: Organizations;
  usage: UsageLedger;
  waitList: WaitList;
  notes: Notes;
};

/** API keys. */
export type Keys = {
  find: (id: string) => Promise<ApiKeyRecord | undefined>;
  list: (orgId: string) => Promise<ApiKeyRecord[]>;
  /** Creates or overwrites. */
  save: (key: ApiKeyRecord) => Promise<void>;
  /** False if the key is not active. */
  replace: (key: ApiKeyRecord) => Promise<boolean>;
  /** Notes that a key was used, at most once an hour. */
  touch: (orgId: string, keyId: string, now: Date) => Promise<void>;
  /** When keys were last used, to within an hour, by id. */
  lastUsed: (orgId: string) => Promise<Record<string, Date>>;
};

export type Organizations = {
  find: (id: string) => Promise<Organization | undefined>;
  /** The oldest first. Reads every account: for operators only. */
  list: () => Promise<Organization[]>;
  /** False, without any change, if an organization of this id exists. */
  add: (organization: Organization) => Promise<boolean>;
  /** Changes the name alone. An unknown organization stays unknown. */
  rename: (id: string, name: string) => Promise<void>;
  /** Creates or overwrites: for operators only. */
  save: (organization: Organization) => Promise<void>;
  /** Deletes an organization and its usage, nothing else: for operators only. */
  remove: (id: string) => Promise<void>;
};

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

/** Something stored for an organization. Without a kind it is a part of another thing, and not counted. */
export type StoredThing = { kind?: string | undefined; key: Readonly<Record<string, string>> };

/** A store of data of organizations. */
export type Store = {
  /** The items of an organization, in portions. May read the whole store: for operators only. */
  find: (orgId: string) => AsyncIterable<readonly StoredThing[]>;
  /** Safe to repeat. */
  remove: (things: readonly StoredThing[]) => Promise<void>;
};
