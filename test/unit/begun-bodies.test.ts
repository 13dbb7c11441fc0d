import { expect, test } from 'vitest';
import { isCut } from '../../functions/browser/readiness/begun-bodies.ts';

test.each([
  ['{"a":"wor', true],
  ['{"a":1,', true],
  ['[1', true],
  ['tru', true],
  ['{"a":"word"}', false],
  ['', false],
  ['words', false],
])('whether a text is JSON that was cut off: %s', (text, is) => {
  expect(isCut(text)).toBe(is);
});
