import { createHash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM_LENGTH = 6;

/** Rejects bytes above the last multiple of 62, so that every character is equally likely. */
function base62(length: number, randomBytes: (size: number) => Uint8Array): string {
  const limit = 256 - (256 % ALPHABET.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < limit && text.length < length) text += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return text;
}

function checksum(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}

const ID_LENGTH = 12;
const SECRET_LENGTH = 32;
const PATTERN = new RegExp(
  `^(sf_(?:live|test)_([0-9A-Za-z]{${ID_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);

type ApiKey = { id: string; text: string };

/**
 * A new key: prefix, 12 characters of id, 32 of secret (190 bits), a CRC-32. `randomBytes` must be secure.
 */
export function createApiKey(mode: 'live' | 'test', randomBytes: (size: number) => Uint8Array): ApiKey {
  const id = base62(ID_LENGTH, randomBytes);
  const body = `sf_${mode}_${id}_${base62(SECRET_LENGTH, randomBytes)}`;
  return { id, text: body + checksum(body) };
}

/** Undefined for a wrong shape or checksum, which saves a read. */
export function parseApiKey(text: string): ApiKey | undefined {
  const [, body, id, sum] = PATTERN.exec(text) ?? [];
  if (body === undefined || id === undefined || sum !== checksum(body)) return undefined;
  return { id, text };
}

/** SHA-256 of the key, hexadecimal: the only stored form. A fast hash suffices for 190 random bits. */
export function hashApiKey({ text }: ApiKey): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Takes constant time. */
export function isSameKey(key: ApiKey, storedHash: string): boolean {
  const stored = Buffer.from(storedHash, 'hex');
  const actual = Buffer.from(hashApiKey(key), 'hex');
  return stored.length === actual.length && timingSafeEqual(stored, actual);
}
