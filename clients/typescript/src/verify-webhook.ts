import { SitefetchError } from './sitefetch-error.ts';
import type { WebhookEvent } from './types.ts';

/** Of a request as Node.js or the Fetch standard has them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | string[] | undefined>>;

export type VerifyOptions = {
  /** How far its timestamp may be from now. 300 if absent. */
  toleranceSeconds?: number;
};

const TOLERANCE_SECONDS = 300;
const PREFIX = 'whsec_';
const VERSION = 'v1';

/**
 * The event of a request that the service signed with this secret. `body` is the body as received, before
 * any parser. Rejects with `invalid_signature`, also for a request that was recorded and is replayed later.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    headerOf(headers, `webhook-${name}`),
  );
  if (!id || !timestamp || !signatures) throw invalid('A webhook header is missing.');
  const offSeconds = Math.abs(Date.now() / 1_000 - Number(timestamp));
  if (!(offSeconds <= toleranceSeconds)) throw invalid('The timestamp is too far from now.');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const key = await keyOf(secret);
  for (const each of signatures.split(' ')) {
    const [version, signature = ''] = each.split(',', 2);
    const bytes = version === VERSION ? bytesOf(signature) : undefined;
    // Compares in constant time.
    if (bytes && (await crypto.subtle.verify('HMAC', key, bytes, signed)))
      return JSON.parse(text) as WebhookEvent;
  }
  throw invalid('No signature is of this secret.');
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return Array.isArray(value) ? value[0] : value;
}

function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = bytesOf(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === undefined) throw invalid('The secret is not base64.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return undefined;
  }
}

const invalid = (message: string) => new SitefetchError('invalid_signature', message, { retryable: false });
