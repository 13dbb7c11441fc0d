import type { Organization, Usage } from '../contract/accounts/account.ts';
import type { EventType } from '../contract/webhooks/webhook.ts';
import type { Admission, AdmissionRequest } from '../domain/accounts/credits/admission.ts';
import type { LowKey } from '../domain/accounts/credits/low-credits.ts';
import type { DayCounts, Tally } from '../domain/accounts/credits/usage-days.ts';

/** Credits, rate limits, slots and readers of organizations. */
export type UsageLedger = {
  read: (organization: Organization, now: Date) => Promise<Usage>;
  /** Counters of the UTC days from one to another, both included. */
  days: (organization: Organization, from: string, to: string) => Promise<Record<string, DayCounts>>;
  /** Takes a request, a slot and credits in one atomic write, or nothing. */
  admit: (organization: Organization, request: AdmissionRequest, now: Date) => Promise<Admission>;
  /** Frees a slot, and charges and counts its scrapes once; without the slot, nothing changes. */
  settle: (organization: Organization, settlement: Settlement, now: Date) => Promise<Usage>;
  /** Counts scrapes without a slot, which cost nothing. */
  count: (organization: Organization, ended: Tally, now: Date) => Promise<Usage>;
  /** Gives back what scrapes cost, unless the month is over: once for each turn of an id. Turns grow. */
  giveBack: (organization: Organization, refund: Refund, now: Date) => Promise<Usage>;
  /** Adds credits to this month, atomically and once: a grant of the same id changes nothing. */
  grant: (organization: Organization, grant: Grant, now: Date) => Promise<Usage>;
  /** Frees a reader; without it, nothing changes. */
  release: (organization: Organization, readerId: string) => Promise<void>;
};

/** Without `ended` the attempt is given back: nothing is charged or counted. */
export type Settlement = { slotId: string; held: number; ended?: Tally | undefined };

/** What was charged and counted for scrapes in a month, `2026-11`, and is negative in `ended`. */
export type Refund = { id: string; turn: number; period: string; ended: Tally };

/** Credits that an operator adds to a month. */
export type Grant = { id: string; credits: number };

/** Organizations whose jobs have slots or wait for one. The sweeper works through the list. */
export type WaitList = {
  /** Notes that jobs wait for a slot. False, without any change, if a job may begin. */
  noteWaiting: (organization: Organization, now: Date) => Promise<boolean>;
  /** Notes the same whether or not a slot is free. */
  noteBacklog: (organization: Organization, now: Date) => Promise<void>;
  /** Notes that no job waits, unless that was noted again since `waitingAt`. */
  clear: (organization: Organization, waitingAt: number) => Promise<void>;
  /** Has the next slot of a job put the organization on the list again. */
  unlist: (organization: Organization) => Promise<void>;
  /** All on the list, and since when, in unix milliseconds. */
  list: () => Promise<{ orgId: string; since: number }[]>;
  /** Takes an organization off the list, unless it was put there again. */
  takeOff: (orgId: string, since: number) => Promise<void>;
};

/** What an organization's usage says about its events, so that a settlement knows whether to emit one. */
export type Notes = {
  /** Notes that endpoints receive these types of events, which the usage says from then on. */
  noteEvents: (organization: Organization, types: readonly EventType[], now: Date) => Promise<void>;
  /** Notes that a level of the month's credits is reached, once. Returns the mark that holds. */
  markLow: (organization: Organization, key: LowKey, now: Date) => Promise<string>;
  /** Notes that an event has reported it. */
  reportLow: (organization: Organization, mark: string) => Promise<void>;
};
