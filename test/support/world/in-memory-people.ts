import { randomInt } from 'node:crypto';
import { v7 } from 'uuid';
import type { Invitation, Person, Session, Visit } from '../../../shared/contract/people/person.ts';
import { passwordFault } from '../../../shared/domain/people/password.ts';
import {
  idleTat,
  latestTat,
  nextTat,
  retryAfterSeconds,
} from '../../../shared/domain/accounts/credits/rate-limit.ts';
import { AppError } from '../../../shared/errors.ts';
import type { Identities, People, RateLimits, Sessions, SignUps } from '../../../shared/ports/people.ts';
import { step } from './step.ts';

type User = { id: string; email: string; password: string; isConfirmed: boolean; code?: Code | undefined };
type Code = { digits: string; expiresAt: number };

export type Mail = { to: string; code: string };

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The Identities port in memory, with the mails that it would send. */
export function inMemoryIdentities(now: () => Date): Identities & { mails: Mail[] } {
  const users = new Map<string, User>();
  const mails: Mail[] = [];
  const byEmail = (email: string) => [...users.values()].find((user) => user.email === email);
  const mail = (user: User) => {
    const digits = String(randomInt(1_000_000)).padStart(6, '0');
    user.code = { digits, expiresAt: +now() + DAY_MS };
    mails.push({ to: user.email, code: digits });
  };
  const isRight = (user: User | undefined, code: string) =>
    user?.code !== undefined && user.code.digits === code && user.code.expiresAt > +now();
  const known = (email: string, password: string) => {
    const user = byEmail(email);
    return user?.isConfirmed && user.password === password ? user : undefined;
  };

  return {
    mails,
    signUp: (email, password) =>
      step(() => {
        assertPassword(password, email);
        const there = byEmail(email);
        if (there?.isConfirmed) return undefined;
        if (there) users.delete(there.id);
        const user: User = { id: v7(), email, password, isConfirmed: false };
        users.set(user.id, user);
        mail(user);
        return { userId: user.id };
      }),
    confirm: (userId, code) =>
      step(() => {
        const user = users.get(userId);
        if (!user || user.isConfirmed || !isRight(user, code)) return false;
        Object.assign(user, { isConfirmed: true, code: undefined });
        return true;
      }),
    resend: (userId) =>
      step(() => {
        const user = users.get(userId);
        if (user && !user.isConfirmed) mail(user);
      }),
    signIn: (email, password) =>
      step(() => {
        const user = byEmail(email);
        if (user?.password !== password) return { outcome: 'refused' };
        return { outcome: user.isConfirmed ? 'signed_in' : 'unconfirmed', userId: user.id };
      }),
    forgot: (email) =>
      step(() => {
        const user = byEmail(email);
        if (user?.isConfirmed) mail(user);
      }),
    reset: (email, code, password) =>
      step(() => {
        assertPassword(password, email);
        const user = byEmail(email);
        if (!user?.isConfirmed || !isRight(user, code)) return undefined;
        Object.assign(user, { password, code: undefined });
        return user.id;
      }),
    changePassword: (email, present, next) =>
      step(() => {
        assertPassword(next, email);
        const user = known(email, present);
        if (user) user.password = next;
        return user !== undefined;
      }),
    remove: (email, password) =>
      step(() => {
        const user = known(email, password);
        return user !== undefined && users.delete(user.id);
      }),
  };
}

function assertPassword(password: string, email: string): void {
  const message = passwordFault(password, email);
  if (message !== undefined)
    throw new AppError('invalid_request', { message, fields: { param: 'password' } });
}

/** The People port in memory. */
export function inMemoryPeople(): People {
  const people = new Map<string, Person>();
  const invitations = new Map<string, Invitation>();
  const locks = new Map<string, { holder: string; until: Date }>();
  const change = (id: string, to: (person: Person) => Partial<Person>) => {
    const person = people.get(id);
    if (person) people.set(id, { ...person, ...to(person) });
    return people.get(id);
  };
  const open = (hash: string, now: Date) => {
    const found = invitations.get(hash);
    return found && found.expiresAt > now ? found : undefined;
  };
  return {
    find: (userId) => step(() => people.get(userId)),
    add: (person) =>
      step(() => {
        if (people.has(person.id)) return false;
        people.set(person.id, person);
        return true;
      }),
    rename: (userId, name) => step(() => void change(userId, () => ({ name }))),
    changeRole: (userId, role, now) => step(() => void change(userId, () => ({ role, roleSince: now }))),
    remove: (userId) => step(() => void people.delete(userId)),
    lock: (orgId, holder, until, now) =>
      step(() => {
        if ((locks.get(orgId)?.until ?? now) > now) return false;
        locks.set(orgId, { holder, until });
        return true;
      }),
    unlock: (orgId, holder) =>
      step(() => {
        if (locks.get(orgId)?.holder === holder) locks.delete(orgId);
      }),
    membersOf: (orgId) => step(() => [...people.values()].filter((person) => person.orgId === orgId)),
    endSessions: (userId) => step(() => change(userId, ({ generation }) => ({ generation: generation + 1 }))),
    saveInvitation: (hash, invitation) => step(() => void invitations.set(hash, invitation)),
    findInvitation: (hash, now) => step(() => open(hash, now)),
    takeInvitation: (hash, userId, now) =>
      step(() => {
        const found = open(hash, now);
        if (!found || (found.takenBy !== undefined && found.takenBy !== userId)) return false;
        invitations.set(hash, { ...found, takenBy: userId });
        return true;
      }),
    invitationsOf: (orgId) =>
      step(() => new Map([...invitations].filter(([, invitation]) => invitation.orgId === orgId))),
    removeInvitation: (orgId, hash) =>
      step(() => invitations.get(hash)?.orgId === orgId && invitations.delete(hash)),
  };
}

/** The ports of a browser's secrets and of rate limits in memory, with how many things they store. */
export function inMemoryVisits() {
  const sessions = new Map<string, Session>();
  const visits = new Map<string, Visit>();
  const forms = new Set<string>();
  const buckets = new Map<string, number>();
  const ports: { sessions: Sessions; signUps: SignUps; rateLimits: RateLimits } = {
    sessions: {
      save: (hash, session) => step(() => void sessions.set(hash, session)),
      find: (hash) => step(() => sessions.get(hash)),
      touch: (hash, now) =>
        step(() => {
          const session = sessions.get(hash);
          if (session) sessions.set(hash, { ...session, seenAt: now });
        }),
      end: (hash) => step(() => void sessions.delete(hash)),
      claimForm: (id) => step(() => forms.size < forms.add(id).size),
    },
    signUps: {
      save: (hash, visit) => step(() => void visits.set(hash, visit)),
      find: (hash, now) =>
        step(() => {
          const found = visits.get(hash);
          return found && found.expiresAt > now ? found : undefined;
        }),
    },
    rateLimits: {
      take: (bucket, rate, now) =>
        step(() => {
          const tat = buckets.get(bucket) ?? idleTat(+now);
          if (tat > latestTat(rate, +now)) return Math.max(1, retryAfterSeconds(rate, tat, +now));
          buckets.set(bucket, nextTat(rate, tat, +now));
          return 0;
        }),
    },
  };
  const storedVisits = () => [sessions, visits, forms, buckets].reduce((sum, { size }) => sum + size, 0);
  return { ...ports, storedVisits };
}
