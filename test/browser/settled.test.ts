import { expect, test } from 'vitest';
import { NOT_YET_IN_MANY } from '../fixtures/settled/not-yet.ts';
import { REPEATS } from '../fixtures/settled/repeats.ts';
import { settledSuite } from '../support/browser/settled-suite.ts';

const pages = await settledSuite(({ name }) => !REPEATS.has(name));

test('every listed page exists', () => {
  const names = pages.map(({ name }) => name);
  expect([...NOT_YET_IN_MANY, ...REPEATS].filter((name) => !names.includes(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test('no page contains its final content in its source', () => {
  const given = pages.filter(
    ({ page, holds, isUnreached }) =>
      typeof page === 'string' && !isUnreached && holds.some((part) => page.includes(part)),
  );
  expect(given.map(({ name }) => name)).toEqual([]);
});
