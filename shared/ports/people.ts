import type { Invitation, Person, Role, Session, Visit } from '../contract/people/person.ts';
import type { RateLimit } from '../domain/accounts/credits/rate-limit.ts';

export type PeopleEffects = {
  identities: Identities;
  people: People;
  sessions: Sessions;
  signUps: SignUps;
  rateLimits: RateLimits;
};

export type SignIn = { outcome: 'signed_in' | 'unconfirmed'; userId: string } | { outcome: 'refused' };

/** Addresses and passwords. A password outside the policy throws `invalid_request`. */
export type Identities = {
  /** Mails a code, in place of any earlier sign-up. Undefined, without a mail, if there is an account. */
  signUp: (email: string, password: string) => Promise<{ userId: string } | undefined>;
  /** False for a wrong or expired code, and for a sign-up that a later one has replaced. */
  confirm: (userId: string, code: string) => Promise<boolean>;
  resend: (userId: string) => Promise<void>;
  /** `unconfirmed` only with the right password. */
  signIn: (email: string, password: string) => Promise<SignIn>;
  forgot: (email: string) => Promise<void>;
  /** The user's id; undefined for a wrong or expired code. */
  reset: (email: string, code: string, password: string) => Promise<string | undefined>;
  /** False if the current password is wrong. */
  changePassword: (email: string, present: string, next: string) => Promise<boolean>;
  remove: (email: string, password: string) => Promise<boolean>;
};

/** Members and their invitations. */
export type People = {
  find: (userId: string) => Promise<Person | undefined>;
  /** False, without any change, if the user is a member already. */
  add: (person: Person) => Promise<boolean>;
  rename: (userId: string, name: string) => Promise<void>;
  changeRole: (userId: string, role: Role, now: Date) => Promise<void>;
  remove: (userId: string) => Promise<void>;
  /** May lack the latest changes, unlike `find`. */
  membersOf: (orgId: string) => Promise<Person[]>;
  /** Takes the lock on an organization's members. False while another request holds it. */
  lock: (orgId: string, holder: string, until: Date, now: Date) => Promise<boolean>;
  unlock: (orgId: string, holder: string) => Promise<void>;
  /** Begins a new generation, which ends all earlier sessions. Returns the changed person. */
  endSessions: (userId: string) => Promise<Person | undefined>;
  saveInvitation: (hash: string, invitation: Invitation) => Promise<void>;
  /** Undefined if it has expired. */
  findInvitation: (hash: string, now: Date) => Promise<Invitation | undefined>;
  /** False unless it is open, or already taken by this user. */
  takeInvitation: (hash: string, userId: string, now: Date) => Promise<boolean>;
  /** By hash, those used and expired included. May lack the latest changes, unlike `findInvitation`. */
  invitationsOf: (orgId: string) => Promise<Map<string, Invitation>>;
  /** False if the organization has no such invitation. */
  removeInvitation: (orgId: string, hash: string) => Promise<boolean>;
};

/** Sessions in the dashboard, by the hash of a secret in the browser's cookie. */
export type Sessions = {
  save: (hash: string, session: Session) => Promise<void>;
  find: (hash: string) => Promise<Session | undefined>;
  /** Notes a request. A session that has ended stays ended. */
  touch: (hash: string, now: Date) => Promise<void>;
  end: (hash: string) => Promise<void>;
  /** True the first time, for a form that must not be sent twice. */
  claimForm: (id: string, expiresAt: Date) => Promise<boolean>;
};

/** Unfinished sign-ups and resets of passwords, by the hash of a secret in the browser's cookie. */
export type SignUps = {
  save: (hash: string, visit: Visit) => Promise<void>;
  find: (hash: string, now: Date) => Promise<Visit | undefined>;
};

export type RateLimits = {
  /** Takes a place in a bucket: 0, or the seconds until there is one. */
  take: (bucket: string, rate: RateLimit, now: Date) => Promise<number>;
};
