import { test } from 'vitest';
import { burstDelaysNobody } from '../support/fairness.ts';
import { ownStack } from '../support/shared-stack.ts';

const stack = await ownStack();

test("a burst of one organization's jobs hardly delays another organization's job", () =>
  burstDelaysNobody(stack, 120));
