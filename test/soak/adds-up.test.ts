import { test } from 'vitest';
import { addsUp } from '../support/adds-up.ts';
import { ownStack } from '../support/shared-stack.ts';

const stack = await ownStack();

test('activity, usage and balance add up after 2,000 calls, while workers are killed', () =>
  addsUp(stack, { calls: 2_000, forEachConcurrently: 20 }));
