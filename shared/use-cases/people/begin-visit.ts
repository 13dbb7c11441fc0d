import { randomBytes } from 'node:crypto';
import type { Visit } from '../../contract/people/person.ts';
import { createSecret, hashSecret } from '../../domain/people/secret.ts';
import type { Effects } from '../../ports/effects.ts';
import { addMs } from '../../time/units.ts';

type Needs = Pick<Effects, 'signUps' | 'now'>;

/** Time to read a mail. Cognito's codes are valid for at least an hour. */
const LASTS_MS = 60 * 60 * 1_000;

/** Remembers a sign-up or reset that a browser has begun. Only this result holds the cookie's secret. */
export async function beginVisit({ signUps, now }: Needs, visit: Omit<Visit, 'expiresAt'>): Promise<string> {
  const secret = createSecret(randomBytes);
  const expiresAt = addMs(now(), LASTS_MS);
  await signUps.save(hashSecret(secret) ?? '', { ...visit, expiresAt });
  return secret;
}

export async function visitOf(
  { signUps, now }: Needs,
  secret: string | undefined,
): Promise<Visit | undefined> {
  const hash = hashSecret(secret ?? '');
  return hash === undefined ? undefined : signUps.find(hash, now());
}
