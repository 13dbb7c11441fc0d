// @module-tag soak
import { expect, test } from 'vitest';
import { expectSentOnce, postsUnderFire } from '../support/life/sent-once.ts';

/** Every call of a worker, with and without its effect, for each end of a request. */
const JOBS = 150;

test('a job sends its POST once, whichever call its worker dies at and however the target fails', async () => {
  const outcomes = await postsUnderFire(JOBS);
  expectSentOnce(outcomes);
  const whole = outcomes.filter(({ end, status }) => end === 'page' && status === 'completed');
  expect(whole.length).toBeGreaterThan(15);
  const unreached = outcomes.filter(({ end, code }) => end === 'dead port' && code === 'connect_failed');
  expect(unreached.length).toBeGreaterThan(15);
  expect(new Set(unreached.map(({ attempts }) => attempts))).toEqual(new Set([3]));
});
