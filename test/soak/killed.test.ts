import { afterAll, test } from 'vitest';
import { eventReceiver } from '../support/servers/event-receiver.ts';
import {
  backlogSurvivesKilling,
  batchesSurviveKilling,
  eventsSurviveKilling,
  survivesKilling,
} from '../support/life/killing.ts';
import { uploadsSurviveKilling } from '../support/life/killed-uploads.ts';
import { ownStack } from '../support/stack/shared-stack.ts';

let secret = '';
const receiver = await eventReceiver(() => secret);
afterAll(() => receiver[Symbol.asyncDispose]());
const stack = await ownStack({ egressAllow: [receiver.host] });

test('no job is lost or charged twice while workers and browsers are killed again and again', () =>
  survivesKilling(stack, 12));

test('jobs that wait for a slot survive the killing of all workers', async () => {
  await backlogSurvivesKilling(stack);
});

test('batches are exact while all workers are killed again and again', () => batchesSurviveKilling(stack));

test('an upload is exact while all workers are killed again and again', () => uploadsSurviveKilling(stack));

test('every event is sent, under one id, while workers and notifiers are killed', () =>
  eventsSurviveKilling(stack, { ...receiver, setSecret: (next) => void (secret = next) }));
