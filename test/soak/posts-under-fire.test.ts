import { test } from 'vitest';
import { expectSentOnce, postsUnderFire } from '../support/life/sent-once.ts';

test('10,000 jobs send each POST once, while workers die, connections break and messages come twice', async () => {
  expectSentOnce(await postsUnderFire(10_000));
});
