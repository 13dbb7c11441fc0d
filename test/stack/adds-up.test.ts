import { test } from 'vitest';
import { addsUp } from '../support/adds-up.ts';
import { ownStack } from '../support/shared-stack.ts';

const stack = await ownStack();

test(
  'activity, usage and balance add up after sixteen calls, while workers are killed',
  { timeout: 240_000 },
  () => addsUp(stack, { calls: 16, atOnce: 8 }),
);
