import { createHmac } from 'node:crypto';
import {
  AdminDeleteUserCommand,
  AdminGetUserCommand,
  ChangePasswordCommand,
  CognitoIdentityProviderClient,
  ConfirmForgotPasswordCommand,
  ConfirmSignUpCommand,
  DeleteUserCommand,
  DescribeUserPoolClientCommand,
  ForgotPasswordCommand,
  InitiateAuthCommand,
  ResendConfirmationCodeCommand,
  SignUpCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { z } from 'zod';
import { TIMEOUTS } from './clients.ts';
import { passwordFault } from '../domain/account/password.ts';
import { AppError } from '../errors.ts';
import type { Identities } from '../people-ports.ts';

type Options = { client: CognitoIdentityProviderClient; userPoolId: string; clientId: string };

/** Concurrent sign-ups of one address replace each other; each retries this often. */
const MAX_SIGN_UPS = 3;
const CODE = /^\d{6}$/;

/** The names of Cognito and its emulator for a wrong password or code. Callers see no difference. */
const REFUSED = [
  'AliasExistsException',
  'CodeMismatchException',
  'ExpiredCodeException',
  'InvalidParameterException',
  'InvalidPasswordException',
  'LimitExceededException',
  'NotAuthorizedException',
  'PasswordResetRequiredException',
  'TooManyFailedAttemptsException',
  'UserNotFoundException',
];

/** Cognito sends a mail before it responds. */
const MAILING_MS = 5_000;

export function cognitoClient(): CognitoIdentityProviderClient {
  const requestHandler = { ...TIMEOUTS, requestTimeout: MAILING_MS, socketTimeout: MAILING_MS };
  return new CognitoIdentityProviderClient({ requestHandler });
}

/** The Identities port on a user pool whose users sign in with their address. Tokens are used and dropped. */
export function cognitoIdentities({
  client,
  userPoolId: UserPoolId,
  clientId: ClientId,
}: Options): Identities {
  let secret: Promise<string> | undefined;
  const proofOf = async (username: string) => {
    secret ??= describe();
    secret.catch(() => (secret = undefined));
    return secretHash(await secret, username, ClientId);
  };
  const describe = async () => {
    const { UserPoolClient } = await client.send(new DescribeUserPoolClientCommand({ UserPoolId, ClientId }));
    return z.string().min(1).parse(UserPoolClient?.ClientSecret);
  };
  /** The fields that all commands about a user share. */
  const about = async (Username: string) => ({ ClientId, Username, SecretHash: await proofOf(Username) });

  const userOf = (Username: string) =>
    unless(['UserNotFoundException'], () => client.send(new AdminGetUserCommand({ UserPoolId, Username })));

  const create = async (email: string, password: string) => {
    const UserAttributes = [{ Name: 'email', Value: email }];
    const input = { ...(await about(email)), Password: password, UserAttributes };
    const made = await unless(['UsernameExistsException'], () => client.send(new SignUpCommand(input)));
    return made && { userId: z.string().parse(made.UserSub) };
  };

  const authenticate = async (USERNAME: string, PASSWORD: string) => {
    const AuthParameters = { USERNAME, PASSWORD, SECRET_HASH: await proofOf(USERNAME) };
    const command = new InitiateAuthCommand({ ClientId, AuthFlow: 'USER_PASSWORD_AUTH', AuthParameters });
    const answer = await unless(REFUSED, () => client.send(command));
    return answer?.AuthenticationResult?.AccessToken;
  };

  return {
    signUp: async (email, password) => {
      assertPassword(password, email);
      for (let tries = 0; tries < MAX_SIGN_UPS; tries += 1) {
        const made = await create(email, password);
        if (made) return made;
        const there = await userOf(email);
        if (there && there.UserStatus !== 'UNCONFIRMED') return undefined;
        // The earlier sign-up never confirmed the address, so its password must not stay valid.
        const { Username } = there ?? {};
        const remove = new AdminDeleteUserCommand({ UserPoolId, Username });
        if (Username !== undefined) await unless(['UserNotFoundException'], () => client.send(remove));
      }
      throw new AppError('busy', { retryAfter: 2 });
    },

    confirm: async (userId, code) => {
      if (!CODE.test(code)) return false;
      const input = { ...(await about(userId)), ConfirmationCode: code };
      return (await unless(REFUSED, () => client.send(new ConfirmSignUpCommand(input)))) !== undefined;
    },

    resend: async (userId) => {
      const input = await about(userId);
      await unless(REFUSED, () => client.send(new ResendConfirmationCodeCommand(input)));
    },

    signIn: async (email, password) => {
      try {
        const token = await authenticate(email, password);
        return token === undefined
          ? { outcome: 'refused' }
          : { outcome: 'signed_in', userId: subjectOf(token) };
      } catch (error) {
        if (!isNamed(error, ['UserNotConfirmedException'])) throw error;
        const userId = (await userOf(email))?.Username;
        return userId === undefined ? { outcome: 'refused' } : { outcome: 'unconfirmed', userId };
      }
    },

    forgot: async (email) => {
      const input = await about(email);
      await unless(REFUSED, () => client.send(new ForgotPasswordCommand(input)));
    },

    reset: async (email, code, password) => {
      assertPassword(password, email);
      if (!CODE.test(code)) return undefined;
      const input = { ...(await about(email)), ConfirmationCode: code, Password: password };
      const done = await unless(REFUSED, () => client.send(new ConfirmForgotPasswordCommand(input)));
      return done && (await userOf(email))?.Username;
    },

    changePassword: async (email, present, next) => {
      assertPassword(next, email);
      const AccessToken = await authenticate(email, present);
      if (AccessToken === undefined) return false;
      const input = { AccessToken, PreviousPassword: present, ProposedPassword: next };
      return (await unless(REFUSED, () => client.send(new ChangePasswordCommand(input)))) !== undefined;
    },

    remove: async (email, password) => {
      const AccessToken = await authenticate(email, password);
      if (AccessToken === undefined) return false;
      await client.send(new DeleteUserCommand({ AccessToken }));
      return true;
    },
  };
}

/** https://docs.aws.amazon.com/cognito/latest/developerguide/signing-up-users-in-your-app.html#cognito-user-pools-computing-secret-hash */
export function secretHash(secret: string, username: string, clientId: string): string {
  return createHmac('sha256', secret)
    .update(username + clientId)
    .digest('base64');
}

/** Cognito's policy is the same, but its emulator has none. */
function assertPassword(password: string, email: string): void {
  const message = passwordFault(password, email);
  if (message !== undefined)
    throw new AppError('invalid_request', { message, fields: { param: 'password' } });
}

/** The user's id in a token fresh from Cognito, whose signature need not be checked. */
function subjectOf(token: string): string {
  const [, payload = ''] = token.split('.');
  const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return z.object({ sub: z.string() }).parse(claims).sub;
}

/** Undefined if the call fails with one of these names. Cognito's throttling becomes `busy`. */
async function unless<T>(names: readonly string[], call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isNamed(error, names)) return undefined;
    if (isNamed(error, SATURATED)) throw new AppError('busy', { retryAfter: 2, cause: error });
    throw error;
  }
}

const SATURATED = ['TooManyRequestsException', 'LimitExceededException', 'TimeoutError'];

const isNamed = (error: unknown, names: readonly string[]) =>
  error instanceof Error && names.includes(error.name);
