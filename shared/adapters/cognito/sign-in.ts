import { z } from 'zod';
import type { SignIn } from '../../ports/people.ts';
import { isNamed } from './unless.ts';
import type { UserPool } from './user-pool.ts';

/** Reports that a sign-up is not confirmed only to a caller that knows its password. */
export async function signIn(pool: UserPool, email: string, password: string): Promise<SignIn> {
  try {
    const token = await pool.authenticate(email, password);
    return token === undefined ? { outcome: 'refused' } : { outcome: 'signed_in', userId: subjectOf(token) };
  } catch (error) {
    if (!isNamed(error, ['UserNotConfirmedException'])) throw error;
    const userId = (await pool.find(email))?.Username;
    return userId === undefined ? { outcome: 'refused' } : { outcome: 'unconfirmed', userId };
  }
}

/** The user's id in a token fresh from Cognito, whose signature need not be checked. */
function subjectOf(token: string): string {
  const [, payload = ''] = token.split('.');
  const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return z.object({ sub: z.string() }).parse(claims).sub;
}
