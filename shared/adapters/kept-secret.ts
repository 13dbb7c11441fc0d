import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';

/** A changed secret takes effect after this time. */
const KEPT_MS = 5 * 60_000;

/** The trimmed text of a secret, read when it is first needed and then cached. Throws if it is empty. */
export function keptSecret(client: SecretsManagerClient, now: () => Date) {
  let held: { text: Promise<string>; until: number } | undefined;
  return (arn: string): Promise<string> => {
    if (held && held.until > now().getTime()) return held.text;
    const read = readSecret(client, arn);
    held = { text: read, until: now().getTime() + KEPT_MS };
    // A failed read is repeated by the next call.
    read.catch(() => (held = undefined));
    return read;
  };
}

async function readSecret(client: SecretsManagerClient, arn: string): Promise<string> {
  const { SecretString: text = '' } = await client.send(new GetSecretValueCommand({ SecretId: arn }));
  if (text.trim() === '') throw new Error('The secret is empty.');
  return text.trim();
}
