import { test } from 'vitest';
import { survivesKilling } from '../support/killing.ts';
import { sharedStack } from '../support/local-stack.ts';

const stack = await sharedStack();

test('no job is lost or charged twice while workers and browsers are killed', { timeout: 240_000 }, () =>
  survivesKilling(stack, 2),
);
