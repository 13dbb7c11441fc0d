import { createHash } from 'node:crypto';

const BYTES = 32;
const PATTERN = /^[\w-]{43}$/;

/** A new secret of 256 random bits, for a cookie or a link. */
export function createSecret(randomBytes: (size: number) => Uint8Array): string {
  return Buffer.from(randomBytes(BYTES)).toString('base64url');
}

/** SHA-256, hexadecimal: the only stored form. Undefined for a malformed secret, which saves a read. */
export function hashSecret(secret: string): string | undefined {
  return PATTERN.test(secret) ? createHash('sha256').update(secret).digest('hex') : undefined;
}
