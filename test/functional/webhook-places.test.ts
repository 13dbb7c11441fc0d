import { expect, test } from 'vitest';
import { turnDelay } from '../../shared/domain/webhooks/state.ts';
import { MAX_AT_ONCE } from '../../shared/domain/webhooks/receiver.ts';
import { ATTEMPTS_PER_ORGANIZATION } from '../support/world/in-memory-webhooks.ts';
import { HOOK, type WebhookLife, webhookLife, WEBHOOKS } from '../support/life/webhook-life.ts';

const OTHER = `${HOOK}/other`;
const slowUrl = (n: number) => `${HOOK}/slow${n}`;

/** Receivers at `…/slow` answer when they are released; other ones at once. */
function slowReceivers({ world }: WebhookLife) {
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  const seen = { now: 0, most: 0 };
  const { post } = world;
  world.answers[OTHER] = 204;
  world.post = async (request) => {
    if (!request.url.includes('/slow')) return post(request);
    seen.most = Math.max(seen.most, (seen.now += 1));
    await released;
    seen.now -= 1;
    return { status: 200 };
  };
  return { seen, release: () => release(undefined) };
}

/** An organization with more events for slow receivers than it may have attempts, and another one. */
async function besideSlowReceivers() {
  const life = await webhookLife();
  const slow = slowReceivers(life);
  const count = Math.ceil(ATTEMPTS_PER_ORGANIZATION / MAX_AT_ONCE) + 1;
  const hooks: string[] = [];
  for (let n = 0; n < count; n += 1) hooks.push((await life.create({ url: slowUrl(n), events: [] })).id);
  for (let n = 0; n < count * MAX_AT_ONCE; n += 1) await life.submit({ webhook: hooks[n % count] ?? '' });
  const { key } = await life.service.organization();
  await life.service.post(WEBHOOKS, key, { url: OTHER });
  await life.service.work();
  const runOther = async () => {
    await life.service.post('/api/v1/scraper/jobs', key, { url: 'https://example.com/' });
    await life.service.work();
  };
  return { ...life, ...slow, runOther };
}

test("slow receivers of one organization take its own places, and another organization's event goes ahead", async () => {
  const { service, seen, release, runOther, world } = await besideSlowReceivers();
  const waiting = service.notify();
  await expect.poll(() => seen.now).toBe(ATTEMPTS_PER_ORGANIZATION);
  await runOther();
  await service.notify();
  expect(world.received.map(({ url }) => url)).toEqual([OTHER]);
  release();
  await waiting;
  expect(seen.most).toBe(ATTEMPTS_PER_ORGANIZATION);
});

test('an invocation that waits for a slow receiver sends events that arrive meanwhile', async () => {
  const life = await webhookLife();
  const { seen, release } = slowReceivers(life);
  const { service, world, create, submit } = life;
  const { id: slow } = await create({ url: slowUrl(0), events: [] });
  const { id: quick } = await create({ url: OTHER, events: [] });
  await submit({ webhook: slow });
  await service.work();
  const waiting = service.notify();
  await expect.poll(() => seen.now).toBe(1);
  await submit({ webhook: quick });
  await service.work();
  // Nothing but the invocation in progress takes it from the queue.
  await expect.poll(() => world.received.map(({ url }) => url)).toEqual([OTHER]);
  expect(seen.now).toBe(1);
  release();
  await waiting;
});

test('a delivery that waits for its turn is no attempt, and arrives once there is a place', async () => {
  const { service, seen, release, world } = await besideSlowReceivers();
  const waiting = service.notify();
  await expect.poll(() => seen.now).toBe(ATTEMPTS_PER_ORGANIZATION);
  world.pass(20_000);
  await service.notify();
  const pending = world.deliveries.all();
  expect(pending.every(({ tries, attempts }) => tries === 0 && attempts.length === 0)).toBe(true);
  release();
  await waiting;
  for (let minute = 0; minute < 5; minute += 1) {
    world.pass(60_000);
    await service.notify();
  }
  expect(world.deliveries.all().map(({ status, tries }) => [status, tries])).toEqual(
    pending.map(() => ['delivered', 1]),
  );
});

test('a delivery that waits for an hour looks for a place a few times, not each second', async () => {
  const { create, submit, service, world } = await webhookLife();
  await create();
  await submit();
  await service.work();
  const [delivery] = world.deliveries.all();
  if (!delivery) throw new Error('There is no delivery.');
  const begun = world.now().getTime();
  const delays: number[] = [];
  for (let at = begun; at < begun + 3_600_000; at += (delays.at(-1) ?? 0) * 1_000)
    delays.push(turnDelay(delivery, new Date(at)));
  expect(delays.length).toBeLessThan(20);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(2);
  // SQS delays a message by 15 minutes at most.
  expect(Math.max(...delays)).toBeLessThanOrEqual(900);
});

test('a receiver that is slow on average has less time while its organization has many attempts', async () => {
  const { create, submit, service, world } = await webhookLife();
  const slow = await create({ url: slowUrl(0), events: [] });
  const patience: number[] = [];
  world.post = ({ timeoutMs }) => {
    patience.push(timeoutMs);
    world.pass(14_000);
    return Promise.resolve({ status: 200 });
  };
  for (let n = 0; n < 3; n += 1) {
    await submit({ webhook: slow.id });
    await service.work();
    await service.notify();
  }
  // Alone it keeps its time, however slow it is.
  expect(patience).toEqual([15_000, 15_000, 15_000]);
  const others = await Promise.all([1, 2].map((n) => create({ url: slowUrl(n), events: [] })));
  const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
  world.post = async ({ url, timeoutMs }) => {
    if (url === slowUrl(0)) patience.push(timeoutMs);
    else await released;
    return { status: 200 };
  };
  for (let n = 0; n < ATTEMPTS_PER_ORGANIZATION - 10; n += 1)
    await submit({ webhook: others[n % 2]?.id ?? '' });
  await service.work();
  const waiting = service.notify();
  await submit({ webhook: slow.id });
  await service.work();
  await service.notify();
  expect(patience.at(-1)).toBe(5_000);
  release(undefined);
  await waiting;
});

test('test events and redeliveries share a limit of 30 a minute, of their own', async () => {
  const { create, call, deliveries, service, world } = await webhookLife();
  const { id } = await create();
  await call(`/${id}/test`, 'POST');
  await service.notify();
  const [sent] = await deliveries(id);
  const redeliver = () => call(`/${id}/deliveries/${sent?.delivery_id}/redeliver`, 'POST');
  for (let n = 0; n < 29; n += 1)
    expect((await (n % 2 ? redeliver() : call(`/${id}/test`, 'POST'))).status).toBe(202);
  for (const refused of [await redeliver(), await call(`/${id}/test`, 'POST')]) {
    expect(refused).toMatchObject({ status: 429, json: { code: 'rate_limited', limit: 30, retry_after: 2 } });
    expect(refused.headers).toMatchObject({ 'RateLimit-Policy': '"send";q=30;w=60', 'Retry-After': '2' });
  }
  // Other calls have their own limit.
  expect((await call(`/${id}`)).headers).toMatchObject({ 'RateLimit-Policy': '"read";q=600;w=60' });
  world.pass(2_000);
  expect((await redeliver()).status).toBe(202);
});
