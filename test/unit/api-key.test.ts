import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createApiKey, hashApiKey, isSameKey, parseApiKey } from '../../shared/domain/api-key.ts';

describe('an API key', () => {
  test('has its id, its secret and a checksum', () => {
    const key = createApiKey('live', randomBytes);
    expect(key.text).toMatch(/^sf_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{32}[0-9A-Za-z]{6}$/);
    expect(parseApiKey(key.text)).toEqual(key);
  });

  test('with any one character changed is refused without a read', () => {
    const { text } = createApiKey('test', randomBytes);
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.constantFrom('0', '9', 'A', 'Z', 'a', 'z', '_'),
        (at, character) => {
          fc.pre(text[at] !== character);
          expect(parseApiKey(text.slice(0, at) + character + text.slice(at + 1))).toBeUndefined();
        },
      ),
    );
  });

  test('is recognised by its hash, and no other key is', () => {
    const key = createApiKey('live', randomBytes);
    const other = createApiKey('live', randomBytes);
    expect(isSameKey(key, hashApiKey(key))).toBe(true);
    expect(isSameKey(other, hashApiKey(key))).toBe(false);
    expect(isSameKey(key, 'junk')).toBe(false);
  });

  test('draws every character as often as any other', () => {
    const bytes = new Uint8Array(256).map((_, i) => i);
    const seen = new Set(
      createApiKey('live', () => bytes)
        .text.slice(8, 20)
        .split(''),
    );
    expect(seen.size).toBe(12);
  });
});
