import { test } from 'vitest';
import { burstDelaysNobody } from '../support/fairness.ts';
import { sharedStack } from '../support/shared-stack.ts';

const stack = await sharedStack();

test("a thousand jobs of one organization hardly delay another organization's job", () =>
  burstDelaysNobody(stack, 1_000));
