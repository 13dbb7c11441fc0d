import { v7 } from 'uuid';
import { expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import type { Received } from '../support/world/in-memory-webhooks.ts';
import { eventIn, HOOK, JOBS, verified, webhookLife } from '../support/life/webhook-life.ts';

const DAY_MINUTES = 24 * 60;
const PRIVATE = 'https://private.example/in?token=1';

const idOf = ({ headers }: Received) => headers['webhook-id'];

test('an event of a job is the job as its status shows it, signed', async () => {
  const { create, runJob, world, service, key } = await webhookLife();
  const { secret } = await create();
  const id = await runJob();
  expect(world.received).toHaveLength(1);
  const [sent] = world.received as [Received];
  const { json: job } = await service.ask(`${JOBS}/${id}`, { key });
  expect(verified(sent, secret)).toEqual({
    type: 'job.completed',
    timestamp: job['completed_at'],
    data: job,
  });
  expect(sent.headers).toMatchObject({ 'Content-Type': 'application/json' });
});

test('an event goes to the endpoints that receive its type, and no other organization', async () => {
  const { create, runJob, world, service } = await webhookLife();
  await create({ events: ['job.failed'] });
  await create({ events: ['job.completed'], url: `${HOOK}/completed` });
  const { key: foreign } = await service.organization();
  await service.post('/api/v1/webhooks', foreign, { url: `${HOOK}/foreign` });
  await runJob();
  world.web['https://bad.example/'] = new AppError('tls_failed');
  await runJob({ url: 'https://bad.example/' });
  expect(world.received.map(({ url, body }) => [url, eventIn({ body } as Received).type])).toEqual([
    [`${HOOK}/completed`, 'job.completed'],
    [HOOK, 'job.failed'],
  ]);
});

test('an event of a cancelled job is a failure', async () => {
  const { create, submit, service, key, world } = await webhookLife();
  await create();
  const id = await submit();
  await service.ask(`${JOBS}/${id}/cancel`, { method: 'POST', key });
  await service.notify();
  expect(world.received.map(eventIn)).toMatchObject([
    { type: 'job.failed', data: { job_id: id, error_code: 'cancelled' } },
  ]);
});

test('an event goes to the endpoint that its job names, once, whatever its types', async () => {
  const { create, runJob, world } = await webhookLife();
  const silent = await create({ events: [] });
  await runJob();
  expect(world.received).toEqual([]);
  await runJob({ webhook: silent.id });
  expect(world.received).toHaveLength(1);
  const all = await create({ url: `${HOOK}/all` });
  world.answers[`${HOOK}/all`] = 200;
  await runJob({ webhook: all.id });
  expect(world.received.map(({ url }) => url)).toEqual([HOOK, `${HOOK}/all`]);
});

test('an event goes to a URL that its job names, signed by the secret of "default"', async () => {
  const { call, runJob, world, deliveries } = await webhookLife();
  world.answers[PRIVATE] = 200;
  const { json } = await call('/default/rotate_secret', 'POST');
  await runJob({ webhook: PRIVATE });
  expect(world.received).toHaveLength(1);
  expect(verified(world.received[0] as Received, String(json['secret']))).toMatchObject({
    type: 'job.completed',
  });
  expect(await deliveries('default')).toMatchObject([{ url: PRIVATE, status: 'delivered' }]);
});

test('an event to a URL is signed before anyone has requested the secret', async () => {
  const { call, runJob, world } = await webhookLife();
  world.answers[PRIVATE] = 200;
  await runJob({ webhook: PRIVATE });
  expect(world.received[0]?.headers['webhook-signature']).toMatch(/^v1,\S+$/);
  expect((await call('/default')).json).toMatchObject({ webhook_id: 'default', events: [], enabled: true });
  expect((await call('')).json).toEqual({ data: [] });
});

test('an event keeps the URL of another job to itself', async () => {
  const { create, runJob, world, service, key } = await webhookLife();
  await create();
  world.answers[PRIVATE] = 200;
  const id = await runJob({ webhook: PRIVATE });
  expect(world.received.map(({ body }) => body).join()).not.toContain('private.example');
  expect((await service.ask(`${JOBS}/${id}`, { key })).text).not.toContain('private.example');
  expect(JSON.stringify(service.lines)).toContain('private.example');
  expect(JSON.stringify(service.lines)).not.toMatch(/private\.example\/in|token=1/);
});

test('an event is under 20 KB for the longest job', async () => {
  const { create, runJob, world } = await webhookLife();
  await create();
  const url = `https://example.com/?q=${'%22'.repeat(2_650)}`;
  world.web[url] = { status: 200, url, redirects: 0, body: Buffer.from('x') };
  await runJob({ url, tags: Array.from({ length: 10 }, (_, n) => `${n}`.padStart(64, 'x')) });
  expect(world.received).toHaveLength(1);
  expect(Buffer.byteLength(world.received[0]?.body ?? '')).toBeLessThan(20_000);
});

test('an event has a cut URL that ends with an ellipsis where the whole would make it longer', async () => {
  const { create, runJob, world } = await webhookLife();
  await create();
  const url = `https://example.com/?${'\\'.repeat(5_000)}`;
  world.web[url] = { status: 200, url, redirects: 0, body: Buffer.from('x') };
  const id = await runJob({ url });
  const { data } = JSON.parse(world.received[0]?.body ?? '') as { data: Record<string, string> };
  expect(data).toMatchObject({
    job_id: id,
    status: 'completed',
    target_url: url,
  });
  expect(data['url']).toMatch(/^https:\/\/example\.com\/\?\\+…$/);
  expect(Buffer.byteLength(world.received[0]?.body ?? '')).toBeLessThan(20_000);
});

test('an event costs nothing without an endpoint or a webhook', async () => {
  const { runJob, world } = await webhookLife();
  const { list } = world.webhooks;
  let lists = 0;
  world.webhooks.list = (orgId) => {
    lists += 1;
    return list(orgId);
  };
  await runJob();
  expect(lists).toBe(0);
  expect(world.deliveries.all()).toEqual([]);
});

test('a delivery is retried on schedule for three days, each attempt signed afresh under one id', async () => {
  const { create, runJob, pass, world, deliveries } = await webhookLife();
  const { id, secret } = await create();
  world.answers[HOOK] = 500;
  const begun = world.now().getTime();
  await runJob();
  await pass(4 * DAY_MINUTES);
  const [delivery] = await deliveries(id);
  expect(delivery).toMatchObject({ status: 'failed' });
  const minutes = delivery?.attempts.map(({ at }) => Math.round((Date.parse(at) - begun) / 60_000));
  const planned = [0, 5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440];
  expect(minutes).toHaveLength(planned.length);
  for (const [n, minute] of (minutes ?? []).entries()) {
    const gap = minute - (minutes?.[n - 1] ?? 0);
    expect(gap).toBeGreaterThanOrEqual(Math.floor(planned[n] ?? 0));
    expect(gap).toBeLessThanOrEqual((planned[n] ?? 0) * 1.1 + 3);
  }
  expect(new Set(world.received.map(idOf)).size).toBe(1);
  expect(new Set(world.received.map(({ headers }) => headers['webhook-signature'])).size).toBe(10);
  for (const sent of world.received) verified(sent, secret);
});

test('a delivery reaches a receiver that was down for a day, with everything else', async () => {
  const { create, runJob, pass, world, deliveries } = await webhookLife();
  const { id, secret } = await create();
  world.answers[HOOK] = 'connect_failed';
  const jobs: string[] = [];
  for (let n = 0; n < 20; n += 1) jobs.push(await runJob());
  await pass(DAY_MINUTES);
  expect((await deliveries(id)).map(({ status }) => status)).toEqual(jobs.map(() => 'pending'));
  world.answers[HOOK] = 200;
  world.received.length = 0;
  await pass(DAY_MINUTES);
  expect((await deliveries(id)).map(({ status }) => status)).toEqual(jobs.map(() => 'delivered'));
  const told = world.received.map((sent) => verified(sent, secret).data['job_id']);
  expect(told.sort()).toEqual(jobs.sort());
});

test.each([301, 302, 307, 404, 500, 'timeout', 'url_not_allowed'] as const)(
  'a delivery fails with %s',
  async (answer) => {
    const { create, runJob, world, deliveries } = await webhookLife();
    const { id } = await create();
    world.answers[HOOK] = answer;
    await runJob();
    const seen = typeof answer === 'number' ? { status: answer } : { error: answer };
    expect(await deliveries(id)).toMatchObject([{ status: 'pending', attempts: [seen] }]);
  },
);

test('a delivery survives the loss of its message', async () => {
  const { create, submit, service, pass, world } = await webhookLife();
  await create();
  await submit();
  await service.work();
  expect(world.notifierQueue.take()).toHaveLength(1);
  await pass(3);
  expect(world.received).toHaveLength(1);
});

test('a delivery is attempted once, however often its message arrives', async () => {
  const { create, submit, service, world } = await webhookLife();
  await create();
  await submit();
  await service.work();
  const [message] = world.notifierQueue.take();
  if (!message || !('id' in message)) throw new Error('There is no message.');
  for (let n = 0; n < 5; n += 1) await world.notifierQueue.deliver(message);
  await service.notify();
  await world.notifierQueue.deliver(message);
  await service.notify();
  expect(world.received).toHaveLength(1);
});

test('a delivery is attempted once a turn, even if the message of an earlier one arrives late', async () => {
  const { create, submit, service, world } = await webhookLife();
  await create();
  world.answers[HOOK] = 500;
  await submit();
  await service.work();
  const [message] = world.notifierQueue.take();
  if (!message || !('id' in message)) throw new Error('There is no message.');
  await world.notifierQueue.deliver(message);
  await service.notify();
  await world.notifierQueue.deliver(message);
  await service.notify();
  expect(world.received).toHaveLength(1);
});

test('a delivery can be sent again, under the same id', async () => {
  const { create, runJob, call, service, world, deliveries } = await webhookLife();
  const { id, secret } = await create();
  await runJob();
  const [first] = await deliveries(id);
  const path = `/${id}/deliveries/${first?.delivery_id}/redeliver`;
  expect(await call(path, 'POST')).toMatchObject({ status: 202, json: { status: 'pending' } });
  await service.notify();
  expect(world.received.map(idOf)).toEqual([first?.delivery_id, first?.delivery_id]);
  verified(world.received[1] as Received, secret);
  expect((await deliveries(id))[0]).toMatchObject({ status: 'delivered', attempts: [{}, {}] });
  expect((await call(`/${id}/deliveries/${v7()}/redeliver`, 'POST')).status).toBe(404);
});

test('a delivery of a test event reaches an endpoint without types', async () => {
  const { create, call, service, world } = await webhookLife();
  const { id } = await create({ events: [] });
  expect(await call(`/${id}/test`, 'POST')).toMatchObject({ status: 202, json: { type: 'webhook.test' } });
  await service.notify();
  expect(world.received.map(eventIn)).toMatchObject([{ type: 'webhook.test', data: { webhook_id: id } }]);
  expect((await call('/default/test', 'POST')).json).toMatchObject({ param: 'webhook_id' });
});

test('a delivery is listed once on exactly one page, newest first', async () => {
  const { create, runJob, call, world } = await webhookLife();
  const { id } = await create();
  for (let n = 0; n < 7; n += 1) {
    await runJob();
    world.pass(1_000);
  }
  const seen: unknown[] = [];
  let cursor: string | undefined;
  do {
    const query = cursor === undefined ? '' : `&cursor=${cursor}`;
    const { json, headers } = await call(`/${id}/deliveries?limit=3${query}`);
    cursor = json['next_cursor'] as string | undefined;
    expect('Link' in headers).toBe(cursor !== undefined);
    seen.push(...(json['data'] as { created_at: string }[]).map(({ created_at }) => created_at));
  } while (cursor !== undefined);
  expect(seen).toHaveLength(7);
  expect(seen).toEqual([...seen].sort().reverse());
  expect((await call(`/${id}/deliveries?cursor=nonsense`)).json).toMatchObject({ param: 'cursor' });
  expect((await call(`/${id}/deliveries?limit=101`)).json).toMatchObject({ param: 'limit' });
});

test('a secret signs for a day together with the secret before it', async () => {
  const { create, call, runJob, pass, world } = await webhookLife();
  const { id, secret: old } = await create();
  const { json } = await call(`/${id}/rotate_secret`, 'POST');
  expect(json).toMatchObject({ old_secret_until: '2026-11-22T12:00:00.000Z' });
  await runJob();
  const both = world.received[0] as Received;
  expect(both.headers['webhook-signature']?.split(' ')).toHaveLength(2);
  for (const secret of [old, String(json['secret'])]) verified(both, secret);
  await pass(DAY_MINUTES);
  await runJob();
  const after = world.received[1] as Received;
  verified(after, String(json['secret']));
  expect(() => verified(after, old)).toThrow('does not match');
});

test('a secret rotated twice still signs with the first', async () => {
  const { create, call, runJob, world } = await webhookLife();
  const { id, secret: first } = await create();
  const second = String((await call(`/${id}/rotate_secret`, 'POST')).json['secret']);
  const third = String((await call(`/${id}/rotate_secret`, 'POST')).json['secret']);
  await runJob();
  const sent = world.received[0] as Received;
  for (const secret of [first, second, third]) verified(sent, secret);
});

test('an endpoint is disabled by a 410, and what waits for it is given up', async () => {
  const { create, runJob, submit, service, call, world, deliveries } = await webhookLife();
  const { id } = await create();
  await submit();
  await service.work();
  const waiting = world.notifierQueue.take();
  world.answers[HOOK] = 410;
  await runJob();
  expect((await call(`/${id}`)).json).toMatchObject({ enabled: false, disabled_by: 'gone' });
  for (const message of waiting) if ('id' in message) await world.notifierQueue.deliver(message);
  await service.notify();
  expect((await deliveries(id)).map(({ status }) => status)).toEqual(['failed', 'failed']);
  expect(world.received).toHaveLength(1);
  await runJob();
  expect(await deliveries(id)).toHaveLength(2);
  expect((await call(`/${id}/test`, 'POST')).json['code']).toBe('webhook_disabled');
  const [delivery] = await deliveries(id);
  const again = await call(`/${id}/deliveries/${delivery?.delivery_id}/redeliver`, 'POST');
  expect(again.json['code']).toBe('webhook_disabled');
  expect(world.counted).toContainEqual(['WebhooksDisabled', 1]);
});

test('an endpoint is disabled by five days of nothing but failures, and starts from zero when it is enabled again', async () => {
  const { create, runJob, pass, call, world } = await webhookLife();
  const { id } = await create();
  world.answers[HOOK] = 500;
  await runJob();
  await pass(3 * DAY_MINUTES);
  await runJob();
  expect((await call(`/${id}`)).json['enabled']).toBe(true);
  await pass(2 * DAY_MINUTES + 60);
  await runJob();
  expect((await call(`/${id}`)).json).toMatchObject({ enabled: false, disabled_by: 'failures' });
  await call(`/${id}`, 'PATCH', { enabled: true });
  await runJob();
  expect((await call(`/${id}`)).json['enabled']).toBe(true);
});

test('an endpoint is disabled not by failures that a success interrupts', async () => {
  const { create, runJob, pass, call, world } = await webhookLife();
  const { id } = await create();
  for (let day = 0; day < 8; day += 1) {
    world.answers[HOOK] = day % 3 === 2 ? 200 : 500;
    await runJob();
    await pass(DAY_MINUTES);
  }
  expect((await call(`/${id}`)).json['enabled']).toBe(true);
});

test('an endpoint is disabled unless it is "default", whose URLs are many', async () => {
  const { runJob, call, world, deliveries } = await webhookLife();
  world.answers[PRIVATE] = 410;
  await runJob({ webhook: PRIVATE });
  expect((await call('/default')).json['enabled']).toBe(true);
  expect(await deliveries('default')).toMatchObject([{ status: 'failed', attempts: [{ status: 410 }] }]);
  expect((await call('/default', 'PATCH', { enabled: false })).status).toBe(400);
  expect((await call('/default', 'DELETE')).status).toBe(400);
});

test('a failing receiver has one attempt at a time, and delays no other receiver', async () => {
  const { create, runJob, submit, service, world } = await webhookLife();
  const slow = await create({ events: [] });
  await create({ events: ['job.completed'], url: `${HOOK}/fast` });
  world.answers[`${HOOK}/fast`] = 200;
  world.answers[HOOK] = 'timeout';
  await runJob({ webhook: slow.id });
  world.received.length = 0;
  let [now, most] = [0, 0];
  const { post } = world;
  world.post = async (request) => {
    if (request.url === HOOK) most = Math.max(most, (now += 1));
    for (let turn = 0; request.url === HOOK && turn < 50; turn += 1) await Promise.resolve();
    if (request.url === HOOK) now -= 1;
    return post(request);
  };
  for (let n = 0; n < 8; n += 1) await submit({ webhook: slow.id });
  await service.work();
  await service.notify();
  expect(most).toBe(1);
  expect(world.received.filter(({ url }) => url === `${HOOK}/fast`)).toHaveLength(8);
});

const TEN = { overrides: { credits: 10 } };

test('credits that run low are reported at 80 and 100 percent, once a month, for jobs and scrapes alike', async () => {
  const { service, world } = await webhookLife();
  const { key } = await service.organization(TEN);
  await service.post('/api/v1/webhooks', key, { url: HOOK, events: ['credits.low'] });
  const scrape = () => service.post('/api/v1/scraper', key, { url: 'https://example.com/' });
  const told = async () => {
    await service.notify();
    return world.received.map(eventIn).map(({ type, data }) => [type, data['percent'], data['used']]);
  };
  for (let n = 0; n < 7; n += 1) await scrape();
  expect(await told()).toEqual([]);
  await scrape();
  await service.notify();
  expect(await told()).toEqual([['credits.low', 80, 8]]);
  await scrape();
  await service.post(JOBS, key, { url: 'https://example.com/' });
  await service.work();
  await service.notify();
  expect(await told()).toEqual([
    ['credits.low', 80, 8],
    ['credits.low', 100, 10],
  ]);
  await scrape();
  await service.notify();
  expect(await told()).toHaveLength(2);
  world.pass(31 * 24 * 60 * 60_000);
  for (let n = 0; n < 8; n += 1) await scrape();
  await service.notify();
  expect((await told()).slice(2)).toEqual([['credits.low', 80, 8]]);
});

test('credits that run low are reported by the next call if the message was lost', async () => {
  const { service, world } = await webhookLife();
  const { key } = await service.organization(TEN);
  await service.post('/api/v1/webhooks', key, { url: HOOK });
  const scrape = () => service.post('/api/v1/scraper', key, { url: 'https://example.com/' });
  for (let n = 0; n < 10; n += 1) await scrape();
  expect(world.notifierQueue.take().length).toBeGreaterThan(0);
  expect((await scrape()).json['code']).toBe('insufficient_credits');
  await service.notify();
  await service.notify();
  expect(world.received.map(eventIn).map(({ data }) => data['percent'])).toEqual([80, 100]);
});
