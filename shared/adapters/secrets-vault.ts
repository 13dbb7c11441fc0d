import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Endpoint } from '../contract/webhooks/webhook.ts';
import type { Vault } from '../ports/webhooks.ts';
import { TIMEOUTS } from './timeouts.ts';

type Owner = Pick<Endpoint, 'orgId' | 'id'>;

const CIPHER = 'aes-256-gcm';
/** https://nvlpubs.nist.gov/nistpubs/Legacy/SP/nistspecialpublication800-38d.pdf section 8.2 */
const [KEY_BYTES, IV_BYTES, TAG_BYTES] = [32, 12, 16];
const PURPOSE = 'sitefetch webhook signing secrets';

export const secretsClient = () => new SecretsManagerClient({ requestHandler: TIMEOUTS });

/** The Vault port with a key derived from a secret in Secrets Manager, which is read once. */
export function secretsVault(client: Pick<SecretsManagerClient, 'send'>, secretArn: string): Vault {
  let key: Promise<Buffer> | undefined;
  const keyOf = () => {
    key ??= readKey(client, secretArn);
    // A failed read is repeated by the next call.
    key.catch(() => (key = undefined));
    return key;
  };
  return {
    seal: async (secret, owner) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, await keyOf(), iv).setAAD(aboutOwner(owner));
      const sealed = Buffer.concat([iv, cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64');
    },
    open: async (text, owner) => {
      const sealed = Buffer.from(text, 'base64');
      const decipher = createDecipheriv(CIPHER, await keyOf(), sealed.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(aboutOwner(owner)).setAuthTag(sealed.subarray(-TAG_BYTES));
      const secret = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES));
      return Buffer.concat([secret, decipher.final()]).toString('utf8');
    },
  };
}

const aboutOwner = ({ orgId, id }: Owner) => Buffer.from(`${orgId}#${id}`);

async function readKey(client: Pick<SecretsManagerClient, 'send'>, arn: string): Promise<Buffer> {
  const { SecretString: text = '' } = await client.send(new GetSecretValueCommand({ SecretId: arn }));
  if (text.length < KEY_BYTES) throw new Error('The key of webhook secrets is missing.');
  return Buffer.from(hkdfSync('sha256', text, '', PURPOSE, KEY_BYTES));
}
