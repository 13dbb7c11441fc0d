import { createHmac } from 'node:crypto';
import {
  type CognitoIdentityProviderClient,
  DescribeUserPoolClientCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { z } from 'zod';

export type UserPoolOptions = { client: CognitoIdentityProviderClient; userPoolId: string; clientId: string };

/** The secret hash that commands about a user need. The secret is read once. */
export function clientProofs({ client, userPoolId: UserPoolId, clientId: ClientId }: UserPoolOptions) {
  let secret: Promise<string> | undefined;
  const describe = async () => {
    const { UserPoolClient } = await client.send(new DescribeUserPoolClientCommand({ UserPoolId, ClientId }));
    return z.string().min(1).parse(UserPoolClient?.ClientSecret);
  };
  return async (username: string): Promise<string> => {
    secret ??= describe();
    secret.catch(() => (secret = undefined));
    return secretHash(await secret, username, ClientId);
  };
}

/** https://docs.aws.amazon.com/cognito/latest/developerguide/signing-up-users-in-your-app.html#cognito-user-pools-computing-secret-hash */
export function secretHash(secret: string, username: string, clientId: string): string {
  return createHmac('sha256', secret)
    .update(username + clientId)
    .digest('base64');
}
