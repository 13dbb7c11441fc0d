import { CognitoIdentityProviderClient, DeleteUserCommand } from '@aws-sdk/client-cognito-identity-provider';
import type { Identities } from '../ports/people.ts';
import { TIMEOUTS } from './timeouts.ts';
import type { UserPoolOptions } from './cognito/client-proofs.ts';
import { passwords } from './cognito/passwords.ts';
import { signIn } from './cognito/sign-in.ts';
import { signUps } from './cognito/sign-ups.ts';
import { userPool } from './cognito/user-pool.ts';

/** Cognito sends a mail before it responds. */
const MAILING_MS = 5_000;

export function cognitoClient(): CognitoIdentityProviderClient {
  const requestHandler = { ...TIMEOUTS, requestTimeout: MAILING_MS, socketTimeout: MAILING_MS };
  return new CognitoIdentityProviderClient({ requestHandler });
}

/** The Identities port on a user pool whose users sign in with their address. Tokens are used and dropped. */
export function cognitoIdentities(options: UserPoolOptions): Identities {
  const pool = userPool(options);

  return {
    ...signUps(pool),
    ...passwords(pool),

    signIn: (email, password) => signIn(pool, email, password),

    remove: async (email, password) => {
      const AccessToken = await pool.authenticate(email, password);
      if (AccessToken === undefined) return false;
      await pool.client.send(new DeleteUserCommand({ AccessToken }));
      return true;
    },
  };
}
