import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CognitoIdentityProviderClient } from '@aws-sdk/client-cognito-identity-provider';
import { v7 } from 'uuid';
import { afterAll, describe, expect, test } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { startIdentities } from '../../local/identities.ts';
import { REGION } from '../../local/template/physical.ts';
import { secretHash } from '../../shared/adapters/cognito/client-proofs.ts';
import { cognitoIdentities } from '../../shared/adapters/cognito-identities.ts';
import type { Identities } from '../../shared/ports/people.ts';
import { inMemoryIdentities } from '../support/world/in-memory-people.ts';
import { NOON } from '../support/world/jobs.ts';

const PASSWORD = 'correct horse battery';
const OTHER = 'staple correct horse';
const newEmail = () => `ada-${v7()}@example.com`;
const wrong = (code: string) => code.replace(/.$/, (digit) => String((Number(digit) + 1) % 10));

type Mail = { to: string; code: string };

const memory = inMemoryIdentities(() => NOON);
describe('identities in memory', () => suite(memory, () => memory.mails));

const resources = new AsyncDisposableStack();
afterAll(() => resources.disposeAsync());
const folder = resources.use(await mkdtempDisposable(join(tmpdir(), 'identities-')));
const mails: Mail[] = [];
const open = async () => {
  const emulator = resources.use(
    await startIdentities({
      folder: folder.path,
      userPoolId: 'pool',
      clientId: 'client',
      mailed: ({ to, text }) => {
        mails.push({ to, code: /\b\d{6}\b/.exec(text)?.[0] ?? '' });
        return Promise.resolve();
      },
    }),
  );
  const at = { endpoint: emulator.url, region: REGION, credentials: LOCAL_CREDENTIALS };
  const client = resources.adopt(new CognitoIdentityProviderClient(at), (it) => it.destroy());
  return cognitoIdentities({ client, userPoolId: 'pool', clientId: 'client' });
};
const cognito = await open();
describe('identities on Cognito', () => {
  suite(cognito, () => mails);

  test('are kept when the local Cognito starts again', async () => {
    const email = newEmail();
    const { userId = '' } = (await cognito.signUp(email, PASSWORD)) ?? {};
    await cognito.confirm(userId, mails.at(-1)?.code ?? '');
    expect(await (await open()).signIn(email, PASSWORD)).toEqual({ outcome: 'signed_in', userId });
  });
});

test('prove the client by the HMAC that Cognito documents', () => {
  // echo -n 'test_userabc' | openssl dgst -sha256 -hmac 'secret' -binary | base64
  expect(secretHash('secret', 'test_user', 'abc')).toBe('uQ56Mkbolaf8HhctmKDIf1BpzHF2VcOp6QYuDcmbauw=');
});

function suite(identities: Identities, mailed: () => readonly Mail[]): void {
  const codeOf = (email: string) => mailed().findLast(({ to }) => to === email)?.code ?? '';
  const mailsTo = (email: string) => mailed().filter(({ to }) => to === email).length;
  const signedUp = async (email: string, password = PASSWORD) =>
    (await identities.signUp(email, password))?.userId ?? '';
  const confirmed = async (email = newEmail()) => {
    const userId = await signedUp(email);
    expect(await identities.confirm(userId, codeOf(email))).toBe(true);
    return { email, userId };
  };

  test('sign up, confirm and sign in', async () => {
    const { email, userId } = await confirmed();
    expect(await identities.signIn(email, PASSWORD)).toEqual({ outcome: 'signed_in', userId });
    expect(mailsTo(email)).toBe(1);
  });

  test('refuse a wrong code, a code of another address, and a code used before', async () => {
    const [email, other] = [newEmail(), newEmail()];
    const [userId] = [await signedUp(email), await signedUp(other)];
    expect(await identities.confirm(userId, wrong(codeOf(email)))).toBe(false);
    expect(await identities.confirm(userId, codeOf(other))).toBe(false);
    for (const code of ['', '12345', 'abcdef']) expect(await identities.confirm(userId, code)).toBe(false);
    expect(await identities.confirm(v7(), codeOf(email))).toBe(false);
    expect(await identities.confirm(userId, codeOf(email))).toBe(true);
    expect(await identities.confirm(userId, codeOf(email))).toBe(false);
  });

  test('mail another code, after which the first does not count', async () => {
    const email = newEmail();
    const userId = await signedUp(email);
    const first = codeOf(email);
    await identities.resend(userId);
    expect(mailsTo(email)).toBe(2);
    if (codeOf(email) !== first) expect(await identities.confirm(userId, first)).toBe(false);
    expect(await identities.confirm(userId, codeOf(email))).toBe(true);
    await identities.resend(userId);
    await identities.resend(v7());
    expect(mailsTo(email)).toBe(2);
  });

  test('say the same of an unknown address as of a wrong password', async () => {
    const { email } = await confirmed();
    expect(await identities.signIn(email, OTHER)).toEqual({ outcome: 'refused' });
    expect(await identities.signIn(newEmail(), PASSWORD)).toEqual({ outcome: 'refused' });
  });

  test('know an unconfirmed address by its password only', async () => {
    const email = newEmail();
    const userId = await signedUp(email);
    expect(await identities.signIn(email, PASSWORD)).toEqual({ outcome: 'unconfirmed', userId });
    expect(await identities.signIn(email, OTHER)).toEqual({ outcome: 'refused' });
  });

  test('leave an account unchanged when its address signs up again', async () => {
    const { email, userId } = await confirmed();
    expect(await identities.signUp(email, OTHER)).toBeUndefined();
    expect(mailsTo(email)).toBe(1);
    expect(await identities.signIn(email, PASSWORD)).toEqual({ outcome: 'signed_in', userId });
  });

  test('replace an unconfirmed sign-up, so that a stranger cannot choose the password', async () => {
    const email = newEmail();
    const stranger = await signedUp(email, OTHER);
    const owner = await signedUp(email);
    expect(await identities.confirm(stranger, codeOf(email))).toBe(false);
    expect(await identities.confirm(owner, codeOf(email))).toBe(true);
    expect(await identities.signIn(email, OTHER)).toEqual({ outcome: 'refused' });
  });

  test('make one account of two sign-ups at once', async () => {
    const email = newEmail();
    const userIds = await Promise.all([signedUp(email), signedUp(email)]);
    const results = [];
    for (const userId of userIds)
      for (const { to, code } of mailed().filter((mail) => mail.to === email))
        results.push(to === email && (await identities.confirm(userId, code)));
    expect(results.filter(Boolean)).toHaveLength(1);
    expect(await identities.signIn(email, PASSWORD)).toMatchObject({ outcome: 'signed_in' });
  });

  test('reset a forgotten password, and say nothing of unknown addresses', async () => {
    const { email, userId } = await confirmed();
    const unknown = newEmail();
    for (const each of [email, unknown]) await identities.forgot(each);
    expect(mailsTo(unknown)).toBe(0);
    expect(await identities.reset(email, wrong(codeOf(email)), OTHER)).toBeUndefined();
    expect(await identities.reset(unknown, codeOf(email), OTHER)).toBeUndefined();
    expect(await identities.reset(email, codeOf(email), OTHER)).toBe(userId);
    expect(await identities.reset(email, codeOf(email), PASSWORD)).toBeUndefined();
    expect(await identities.signIn(email, OTHER)).toEqual({ outcome: 'signed_in', userId });
  });

  test('change a password, given the current one', async () => {
    const { email } = await confirmed();
    expect(await identities.changePassword(email, OTHER, PASSWORD)).toBe(false);
    expect(await identities.changePassword(email, PASSWORD, OTHER)).toBe(true);
    expect(await identities.signIn(email, PASSWORD)).toEqual({ outcome: 'refused' });
    expect(await identities.signIn(email, OTHER)).toMatchObject({ outcome: 'signed_in' });
  });

  test('remove an account, given its password', async () => {
    const { email } = await confirmed();
    expect(await identities.remove(email, OTHER)).toBe(false);
    expect(await identities.remove(email, PASSWORD)).toBe(true);
    expect(await identities.signIn(email, PASSWORD)).toEqual({ outcome: 'refused' });
    expect(await identities.signUp(email, PASSWORD)).toBeDefined();
  });

  test.each(['short', ' spaces around it ', 'a'.repeat(257), '123456789012', 'aaaaaaaaaaaaaaa'])(
    'refuse the password %j everywhere',
    async (password) => {
      const { email } = await confirmed();
      const refusal = expect.objectContaining({
        code: 'invalid_request',
        fields: { param: 'password' },
      }) as object;
      await expect(identities.signUp(newEmail(), password)).rejects.toEqual(refusal);
      await expect(identities.changePassword(email, PASSWORD, password)).rejects.toEqual(refusal);
      await expect(identities.reset(email, '123456', password)).rejects.toEqual(refusal);
    },
  );
}
