import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createApiKey, hashApiKey, isSameKey, parseApiKey } from '../../shared/domain/accounts/api-key.ts';

test('an API key consists of an id, a secret and a checksum', () => {
  const key = createApiKey('live', randomBytes);
  expect(key.text).toMatch(/^sf_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{32}[0-9A-Za-z]{6}$/);
  expect(parseApiKey(key.text)).toEqual(key);
});

test('an API key with one character changed fails its checksum', () => {
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

test('an API key matches its own hash only', () => {
  const key = createApiKey('live', randomBytes);
  const other = createApiKey('live', randomBytes);
  expect(isSameKey(key, hashApiKey(key))).toBe(true);
  expect(isSameKey(other, hashApiKey(key))).toBe(false);
  expect(isSameKey(key, 'junk')).toBe(false);
});

test('an API key uses every character equally often', () => {
  // 247 is the last byte of four whole alphabets; accepting 248 would favour the first character.
  const aroundTheLimit = (size: number) => Buffer.alloc(size, Buffer.from([247, 248, 10]));
  expect(createApiKey('live', aroundTheLimit).text).toMatch(/^sf_live_(zA){6}_[zA]{32}/);
});
