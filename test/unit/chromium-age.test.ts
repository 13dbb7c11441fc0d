import { expect, test } from 'vitest';
import { countChromiumAge } from '../../functions/sweeper/sweep.ts';
import { chromiumReleased } from '../../infra/sitefetch.ts';

test('counts the days since Chromium was published', () => {
  const counted: unknown[] = [];
  const now = () => new Date('2026-12-10T23:59:59Z');
  countChromiumAge({ now, count: (...args) => counted.push(args) }, new Date('2026-09-11'));
  expect(counted).toEqual([['ChromiumAge', 90]]);
});

test('knows the publication date of the installed version', async () => {
  const released = new Date(await chromiumReleased());
  expect(released.getTime()).toBeGreaterThan(Date.UTC(2026, 0));
  expect(released.getTime()).toBeLessThan(Date.now());
});
