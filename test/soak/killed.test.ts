import { test } from 'vitest';
import { backlogSurvivesKilling, batchesSurviveKilling, survivesKilling } from '../support/killing.ts';
import { ownStack } from '../support/shared-stack.ts';

const stack = await ownStack();

test('no job is lost or charged twice while workers and browsers are killed again and again', () =>
  survivesKilling(stack, 12));

test('jobs that wait for a slot survive the killing of all workers', async () => {
  await backlogSurvivesKilling(stack);
});

test('batches are exact while all workers are killed again and again', () => batchesSurviveKilling(stack));
