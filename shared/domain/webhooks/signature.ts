import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';
/** Within the 24 to 64 bytes of https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
const SECRET_BYTES = 32;

/** A new signing secret, in the form that verifying libraries read. */
export function createSigningSecret(randomBytes: (size: number) => Uint8Array): string {
  return PREFIX + Buffer.from(randomBytes(SECRET_BYTES)).toString('base64');
}

type Message = { id: string; type: string; body: string; secrets: readonly string[] };

/** Begins the types of events in the shape of `/v2`. */
export const COMPAT_TYPE = 'v2.';

/** The signature that clients of `/v2` verify: the whole text of the secret is its key. */
function compatHeaders({ type, body, secrets: [secret = ''] }: Message): Record<string, string> {
  if (!type.startsWith(COMPAT_TYPE)) return {};
  return { 'X-Firecrawl-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}` };
}

/** The headers of one attempt, signed with every secret. The signature covers id, time and exact body. */
export function signedHeaders(message: Message, now: Date): Record<string, string> {
  const { id, body, secrets } = message;
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Sitefetch-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
    ...compatHeaders(message),
  };
}
