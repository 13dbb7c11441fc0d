import { type GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, test } from 'vitest';
import { LOCAL_CREDENTIALS } from '../../local/create-resources.ts';
import { startSecrets } from '../../local/open-surroundings.ts';
import { REGION } from '../../local/template/physical.ts';
import { secretsVault } from '../../shared/adapters/secrets-vault.ts';
import type { Vault } from '../../shared/ports/webhooks.ts';
import { inMemoryVault } from '../support/world/in-memory-webhooks.ts';

const OWNER = { orgId: 'org_1', id: 'a' };

async function emulated(key = 'k'.repeat(64)) {
  const secrets = await startSecrets({ key });
  const credentials = LOCAL_CREDENTIALS;
  const client = new SecretsManagerClient({ endpoint: secrets.url, region: REGION, credentials });
  return {
    secrets,
    client,
    vault: secretsVault(client, secrets.arnOf('key')),
    [Symbol.asyncDispose]: async () => {
      client.destroy();
      await secrets[Symbol.asyncDispose]();
    },
  };
}

describe.each([
  [
    'in memory',
    () => Promise.resolve({ vault: inMemoryVault(), [Symbol.asyncDispose]: () => Promise.resolve() }),
  ],
  ['with a key from the emulator', () => emulated()],
] as const)('the vault %s', (_, open: () => Promise<{ vault: Vault } & AsyncDisposable>) => {
  test('opens what it has sealed, for the same endpoint alone', async () => {
    await using opened = await open();
    const { vault } = opened;
    const sealed = await vault.seal('whsec_1', OWNER);
    expect(await vault.open(sealed, OWNER)).toBe('whsec_1');
    for (const other of [
      { ...OWNER, id: 'b' },
      { ...OWNER, orgId: 'org_2' },
    ])
      await expect(vault.open(sealed, other)).rejects.toThrow();
  });
});

test('what is sealed shows nothing, is never the same, and cannot be changed', async () => {
  await using opened = await emulated();
  const { vault } = opened;
  const [first, second] = [await vault.seal('whsec_1', OWNER), await vault.seal('whsec_1', OWNER)];
  expect(first).not.toBe(second);
  expect(Buffer.from(first, 'base64').toString('latin1')).not.toContain('whsec');
  for (const at of [0, 14, 30]) {
    const bytes = Buffer.from(first, 'base64');
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    await expect(vault.open(bytes.toString('base64'), OWNER), String(at)).rejects.toThrow();
  }
  const short = Buffer.from(first, 'base64').subarray(0, -8).toString('base64');
  await expect(vault.open(short, OWNER)).rejects.toThrow();
});

test('another key opens nothing, and a missing one is an error', async () => {
  await using opened = await emulated();
  await using other = await emulated('x'.repeat(64));
  await using empty = await emulated('short');
  const sealed = await opened.vault.seal('whsec_1', OWNER);
  await expect(other.vault.open(sealed, OWNER)).rejects.toThrow();
  await expect(empty.vault.seal('whsec_1', OWNER)).rejects.toThrow('is missing');
});

test('the key is read once, and again after a failure', async () => {
  await using opened = await emulated();
  let reads = 0;
  const { client, secrets } = opened;
  const send = (command: GetSecretValueCommand) => {
    reads += 1;
    return reads === 1 ? Promise.reject(new Error('Throttled')) : client.send(command);
  };
  const vault = secretsVault({ send: send as never }, secrets.arnOf('key'));
  await expect(vault.seal('a', OWNER)).rejects.toThrow('Throttled');
  for (let times = 0; times < 3; times += 1) await vault.seal('a', OWNER);
  expect(reads).toBe(2);
});
