import {
  AdminDeleteUserCommand,
  AdminGetUserCommand,
  InitiateAuthCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { clientProofs, type UserPoolOptions } from './client-proofs.ts';
import { REFUSED, unless } from './unless.ts';

export type UserPool = ReturnType<typeof userPool>;

/** What operations on a user pool share. */
export function userPool(options: UserPoolOptions) {
  const { client, userPoolId: UserPoolId, clientId: ClientId } = options;
  const proofOf = clientProofs(options);

  return {
    client,

    /** The fields that all commands about a user share. */
    about: async (Username: string) => ({ ClientId, Username, SecretHash: await proofOf(Username) }),

    find: (Username: string) =>
      unless(['UserNotFoundException'], () => client.send(new AdminGetUserCommand({ UserPoolId, Username }))),

    discard: (username: string) => discardUser(options, username),

    /** An access token; undefined if the password is wrong. */
    authenticate: async (USERNAME: string, PASSWORD: string) => {
      const AuthParameters = { USERNAME, PASSWORD, SECRET_HASH: await proofOf(USERNAME) };
      const command = new InitiateAuthCommand({ ClientId, AuthFlow: 'USER_PASSWORD_AUTH', AuthParameters });
      const answer = await unless(REFUSED, () => client.send(command));
      return answer?.AuthenticationResult?.AccessToken;
    },
  };
}

/** Deletes a user, if there is one, without the password. */
export async function discardUser(
  { client, userPoolId: UserPoolId }: Pick<UserPoolOptions, 'client' | 'userPoolId'>,
  Username: string,
): Promise<void> {
  const remove = new AdminDeleteUserCommand({ UserPoolId, Username });
  await unless(['UserNotFoundException'], () => client.send(remove));
}
