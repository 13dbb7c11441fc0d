import {
  ChangePasswordCommand,
  ConfirmForgotPasswordCommand,
  ForgotPasswordCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import type { Identities } from '../../ports/people.ts';
import { assertPassword } from './assert-password.ts';
import { isCode } from './is-code.ts';
import { REFUSED, unless } from './unless.ts';
import type { UserPool } from './user-pool.ts';

/** How a user gets another password: by the present one, or by a code if it is forgotten. */
export function passwords(pool: UserPool): Pick<Identities, 'forgot' | 'reset' | 'changePassword'> {
  const { client, about } = pool;

  return {
    forgot: async (email) => {
      const input = await about(email);
      await unless(REFUSED, () => client.send(new ForgotPasswordCommand(input)));
    },

    reset: async (email, code, password) => {
      assertPassword(password, email);
      if (!isCode(code)) return undefined;
      const input = { ...(await about(email)), ConfirmationCode: code, Password: password };
      const done = await unless(REFUSED, () => client.send(new ConfirmForgotPasswordCommand(input)));
      return done && (await pool.find(email))?.Username;
    },

    changePassword: async (email, present, next) => {
      assertPassword(next, email);
      const AccessToken = await pool.authenticate(email, present);
      if (AccessToken === undefined) return false;
      const input = { AccessToken, PreviousPassword: present, ProposedPassword: next };
      return (await unless(REFUSED, () => client.send(new ChangePasswordCommand(input)))) !== undefined;
    },
  };
}
