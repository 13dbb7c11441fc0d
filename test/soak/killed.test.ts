import { afterAll, test } from 'vitest';
import { eventReceiver } from '../support/servers/event-receiver.ts';
import {
  backlogSurvivesKilling,
  batchesSurviveKilling,
  eventsSurviveKilling,
  survivesKilling,
} from '../support/life/killing.ts';
import { mixtureSurvivesKilling } from '../support/life/killed-mixture.ts';
import { uploadsSurviveKilling } from '../support/life/killed-uploads.ts';
import { mixedSite } from '../support/servers/mixed-site.ts';
import { ownStack } from '../support/stack/shared-stack.ts';

let secret = '';
const receiver = await eventReceiver(() => secret);
afterAll(() => receiver[Symbol.asyncDispose]());
const site = await mixedSite();
afterAll(() => site[Symbol.asyncDispose]());
const stack = await ownStack({ egressAllow: [receiver.host, site.host] });

test('no job is lost or charged twice while workers and browsers are killed again and again', () =>
  survivesKilling(stack, 12));

test('ladders, repeats and others add up to the same credits while workers and browsers are killed', () =>
  mixtureSurvivesKilling(stack, site, 8));

test('jobs that wait for a slot survive the killing of all workers', async () => {
  await backlogSurvivesKilling(stack);
});

test('batches are exact while all workers are killed again and again', () => batchesSurviveKilling(stack));

test('an upload is exact while all workers are killed again and again', () => uploadsSurviveKilling(stack));

test('every event is sent, under one id, while workers and notifiers are killed', () =>
  eventsSurviveKilling(stack, { ...receiver, setSecret: (next) => void (secret = next) }));
