import { expect, test } from 'vitest';
import { attemptDelivery } from '../../functions/notifier/attempt-delivery.ts';
import { dueDeliveries } from '../../functions/sweeper/deliveries.ts';
import { keptLog } from '../support/world/kept-log.ts';
import { sweepDue } from '../../functions/sweeper/sweep-due.ts';
import type { NotifierMessage } from '../../shared/contract/scrape/messages.ts';
import { openRequestLog } from '../../shared/observe/request-log.ts';
import { defaultEndpoint } from '../../shared/use-cases/webhooks/default-endpoint.ts';
import { createEndpoint } from '../../shared/use-cases/webhooks/manage-webhooks.ts';
import { emitLowCredits } from '../../shared/use-cases/webhooks/emit-low-credits.ts';
import { type Death, mortal } from '../support/world/mortal.ts';
import { HOOK, webhookLife } from '../support/life/webhook-life.ts';
import { accountsOf } from '../support/world/in-memory-accounts.ts';

const deaths = Array.from({ length: 14 }, (_, at) => [
  { call: at + 1, isDone: false },
  { call: at + 1, isDone: true },
]).flat();

type World = Awaited<ReturnType<typeof webhookLife>>['world'];

/** Runs as a process that dies at a call. */
async function dying(world: World, death: Death, work: (fx: World) => Promise<unknown>): Promise<void> {
  const { webhooks, deliveries, receivers, notifierQueue, vault, ...rest } = world;
  const mortals = mortal(
    { webhooks, deliveries, receivers, notifierQueue, vault, ...accountsOf(world), post: world.post },
    death,
  );
  await work({ ...rest, ...mortals }).catch((error: unknown) => {
    if (!mortals.hasDied()) throw error;
  });
}

const deliveryIn = (message: NotifierMessage | undefined) => {
  if (!message || !('id' in message)) throw new Error('There is no message.');
  return message;
};

test.each(deaths)('a notifier that dies at call $call (done: $isDone) loses no event', async (death) => {
  for (const answer of [204, 500, 410] as const) {
    const { create, submit, service, pass, world, deliveries } = await webhookLife();
    const { id } = await create();
    world.answers[HOOK] = answer;
    await submit();
    await service.work();
    const message = deliveryIn(world.notifierQueue.take()[0]);
    await dying(world, death, (fx) => attemptDelivery(fx, message, openRequestLog()));
    if (answer === 500) world.answers[HOOK] = 204;
    await pass(10);
    const [delivery, ...others] = await deliveries(id);
    expect(others).toEqual([]);
    expect(delivery?.status).toBe(answer === 410 ? 'failed' : 'delivered');
    expect(world.received.length).toBeGreaterThanOrEqual(1);
    expect(world.received.length).toBeLessThanOrEqual(3);
    expect(new Set(world.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    // Its place is free again: as many attempts fit as before.
    await submit();
    await service.work();
    await pass(1);
    if (answer !== 410) expect(world.received.at(-1)?.headers['webhook-id']).not.toBe(delivery?.delivery_id);
  }
});

test.each(deaths)('a sweep that dies at call $call (done: $isDone) loses no event', async (death) => {
  const { create, submit, service, pass, world, deliveries } = await webhookLife();
  const { id } = await create();
  for (let n = 0; n < 3; n += 1) await submit();
  await service.work();
  world.notifierQueue.take();
  world.pass(3 * 60_000);
  await dying(world, death, (fx) => sweepDue(dueDeliveries(fx), keptLog().log, new AbortController().signal));
  await service.notify();
  await pass(6);
  expect((await deliveries(id)).map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
  expect(world.received).toHaveLength(3);
});

test.each(deaths)(
  'low credits are reported once if the process dies at call $call (done: $isDone)',
  async (death) => {
    const { service, world } = await webhookLife();
    const { orgId, key } = await service.organization({ overrides: { credits: 5 } });
    await service.post('/api/v1/webhooks', key, { url: HOOK, events: ['credits.low'] });
    for (let n = 0; n < 5; n += 1)
      await service.post('/api/v1/scraper', key, { url: 'https://example.com/' });
    world.notifierQueue.take();
    const organization = await world.organizations.find(orgId);
    if (organization === undefined) throw new Error('The organization is gone.');
    await dying(world, death, (fx) => emitLowCredits(fx, organization));
    world.pass(5_000);
    await emitLowCredits(world, organization);
    expect(world.deliveries.all()).toHaveLength(2);
  },
);

test.each(deaths)(
  'an endpoint is never half made by a process that dies at call $call (done: $isDone)',
  async (death) => {
    const { world, service, runJob, orgId } = await webhookLife();
    const organization = await world.organizations.find(orgId);
    if (organization === undefined) throw new Error('The organization is gone.');
    await dying(world, death, (fx) => createEndpoint(fx, organization, { url: HOOK }));
    await dying(world, death, (fx) => defaultEndpoint(fx, orgId));
    world.answers[`${HOOK}?bare`] = 204;
    await runJob({ webhook: `${HOOK}?bare` });
    await service.notify();
    const endpoints = (await world.webhooks.list(orgId)).filter(({ url }) => url !== undefined);
    expect(world.received).toHaveLength(1 + endpoints.length);
  },
);

test('two processes that need the default endpoint at once make one', async () => {
  const { world, orgId } = await webhookLife();
  const made = await Promise.all(Array.from({ length: 5 }, () => defaultEndpoint(world, orgId)));
  expect(new Set(made.map(({ secrets }) => secrets[0]?.sealed)).size).toBe(1);
});
