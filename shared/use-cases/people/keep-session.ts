import { randomBytes } from 'node:crypto';
import type { Person } from '../../contract/people/person.ts';
import { createSecret, hashSecret } from '../../domain/people/secret.ts';
import { isOpen, isToBeNoted, newSession } from '../../domain/people/session.ts';
import type { Effects } from '../../ports/effects.ts';

type Needs = Pick<Effects, 'people' | 'sessions' | 'now'>;

/** Begins a session. Only this result holds its secret. */
export async function openSession({ sessions, now }: Needs, person: Person): Promise<string> {
  const secret = createSecret(randomBytes);
  await sessions.save(hashSecret(secret) ?? '', newSession(person, now()));
  return secret;
}

/** The user who is signed in with this secret, if any. */
export async function whoIs(fx: Needs, secret: string | undefined): Promise<Person | undefined> {
  const hash = hashSecret(secret ?? '');
  const session = hash === undefined ? undefined : await fx.sessions.find(hash);
  const person = session && (await fx.people.find(session.userId));
  if (hash === undefined || !session || !person || !isOpen(session, person, fx.now())) return undefined;
  if (isToBeNoted(session, fx.now())) await fx.sessions.touch(hash, fx.now());
  return person;
}

export async function closeSession({ sessions }: Needs, secret: string | undefined): Promise<void> {
  const hash = hashSecret(secret ?? '');
  if (hash !== undefined) await sessions.end(hash);
}

/** Ends every session of a user and begins a new one. Undefined if the user is no longer a member. */
export async function renewSessions(fx: Needs, userId: string): Promise<string | undefined> {
  const person = await fx.people.endSessions(userId);
  return person && openSession(fx, person);
}
