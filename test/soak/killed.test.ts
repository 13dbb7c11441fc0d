import { test } from 'vitest';
import { backlogSurvivesKilling, survivesKilling } from '../support/killing.ts';
import { ownStack } from '../support/shared-stack.ts';

const stack = await ownStack();

test('no job is lost or charged twice while workers and browsers are killed again and again', () =>
  survivesKilling(stack, 12));

test('jobs that wait for a slot survive the killing of all workers', () => backlogSurvivesKilling(stack));
