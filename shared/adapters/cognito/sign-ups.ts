import {
  ConfirmSignUpCommand,
  ResendConfirmationCodeCommand,
  SignUpCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import type { Identities } from '../../ports/people.ts';
import { assertPassword } from './assert-password.ts';
import { isCode } from './is-code.ts';
import { REFUSED, unless } from './unless.ts';
import type { UserPool } from './user-pool.ts';

/** Concurrent sign-ups of one address replace each other; each retries this often. */
const MAX_SIGN_UPS = 3;

/** How a user confirms an address. */
export function signUps(pool: UserPool): Pick<Identities, 'signUp' | 'confirm' | 'resend'> {
  const { client, about } = pool;
  const create = async (email: string, password: string) => {
    const UserAttributes = [{ Name: 'email', Value: email }];
    const input = { ...(await about(email)), Password: password, UserAttributes };
    const made = await unless(['UsernameExistsException'], () => client.send(new SignUpCommand(input)));
    return made && { userId: z.string().parse(made.UserSub) };
  };

  return {
    signUp: async (email, password) => {
      assertPassword(password, email);
      for (let tries = 0; tries < MAX_SIGN_UPS; tries += 1) {
        const made = await create(email, password);
        if (made) return made;
        const there = await pool.find(email);
        if (there && there.UserStatus !== 'UNCONFIRMED') return undefined;
        // The earlier sign-up never confirmed the address, so its password must not stay valid.
        if (there?.Username !== undefined) await pool.discard(there.Username);
      }
      throw new AppError('busy', { retryAfter: 2 });
    },

    confirm: async (userId, code) => {
      if (!isCode(code)) return false;
      const input = { ...(await about(userId)), ConfirmationCode: code };
      return (await unless(REFUSED, () => client.send(new ConfirmSignUpCommand(input)))) !== undefined;
    },

    resend: async (userId) => {
      const input = await about(userId);
      await unless(REFUSED, () => client.send(new ResendConfirmationCodeCommand(input)));
    },
  };
}
