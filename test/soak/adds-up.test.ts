import { test } from 'vitest';
import { addsUp } from '../support/life/adds-up.ts';
import { ownStack } from '../support/stack/shared-stack.ts';

const stack = await ownStack();

test('activity, usage and balance add up after 2,000 calls, while workers are killed', () =>
  addsUp(stack, { calls: 2_000, forEachConcurrently: 20 }));
