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
])('JSON is cut off, or whole, or is none: %s', (text, is) => {
  expect(isCut(text)).toBe(is);
});
