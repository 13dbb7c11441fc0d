import { test } from 'vitest';
import { burstDelaysNobody } from '../support/life/fairness.ts';
import { ownStack } from '../support/stack/shared-stack.ts';

const stack = await ownStack();

test("a thousand jobs of one organization hardly delay another organization's job", () =>
  burstDelaysNobody(stack, 1_000));
