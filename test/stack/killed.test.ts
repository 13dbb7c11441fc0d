import { test } from 'vitest';
import { survivesKilling } from '../support/killing.ts';
import { ownStack } from '../support/shared-stack.ts';

const stack = await ownStack();

test('no job is lost or charged twice while workers and browsers are killed', { timeout: 240_000 }, () =>
  survivesKilling(stack, 2),
);
