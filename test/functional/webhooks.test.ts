import { v7 } from 'uuid';
import { describe, expect, test } from 'vitest';
import { createKey } from '../../shared/use-cases/accounts/manage-keys.ts';
import { newService } from '../support/world/api.ts';
import { HOOK, WEBHOOKS, webhookLife } from '../support/life/webhook-life.ts';

const EXAMPLE = { url: HOOK, events: ['job.failed'], description: 'Production' };

test('an endpoint is created with a secret that no later response shows', async () => {
  const { call } = await webhookLife();
  const { status, json, headers } = await call('', 'POST', EXAMPLE);
  expect(status).toBe(201);
  const { webhook_id: id, secret, ...shown } = json;
  expect(shown).toEqual({ ...EXAMPLE, enabled: true, created_at: '2026-11-21T12:00:00.000Z' });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(headers['Location']).toBe(`${WEBHOOKS}/${String(id)}`);
  const { json: read } = await call(`/${String(id)}`);
  expect(read).toEqual({ webhook_id: id, ...shown });
  expect((await call('')).json).toEqual({ data: [read] });
});

test('an endpoint receives all types of events unless it chooses some', async () => {
  const { call } = await webhookLife();
  const { json } = await call('', 'POST', { url: HOOK });
  expect(json['events']).toEqual([
    'job.completed',
    'job.failed',
    'batch.completed',
    'crawl.completed',
    'credits.low',
  ]);
  const { json: none } = await call('', 'POST', { url: HOOK, events: [] });
  expect(none['events']).toEqual([]);
});

test('an endpoint changes only in what is sent', async () => {
  const { call, create } = await webhookLife();
  const { id } = await create(EXAMPLE);
  const changed = await call(`/${id}`, 'PATCH', { events: ['credits.low'], description: '' });
  expect(changed.json).toMatchObject({ url: HOOK, events: ['credits.low'] });
  expect(changed.json).not.toHaveProperty('description');
  expect((await call(`/${id}`, 'PATCH', { enabled: false })).json).toMatchObject({
    enabled: false,
    disabled_by: 'caller',
  });
  const { json } = await call(`/${id}`, 'PATCH', { enabled: true });
  expect(json['enabled']).toBe(true);
  expect(json).not.toHaveProperty('disabled_by');
});

test('an endpoint is gone once it is deleted', async () => {
  const { call, create } = await webhookLife();
  const { id } = await create();
  expect((await call(`/${id}`, 'DELETE')).status).toBe(204);
  expect((await call(`/${id}`)).json['code']).toBe('not_found');
  expect((await call(`/${id}`, 'DELETE')).status).toBe(404);
});

test('an endpoint of another organization is as unknown as any other', async () => {
  const { service, create } = await webhookLife();
  const { id } = await create();
  const { key } = await service.organization();
  for (const [path, method] of [
    [`/${id}`, 'GET'],
    [`/${id}`, 'DELETE'],
    [`/${id}/test`, 'POST'],
    [`/${id}/rotate_secret`, 'POST'],
    [`/${id}/deliveries`, 'GET'],
    [`/${id}/deliveries/${v7()}/redeliver`, 'POST'],
    [`/${v7()}`, 'GET'],
    ['/nonsense', 'GET'],
  ] as const)
    expect((await service.ask(WEBHOOKS + path, { method, key })).status, path).toBe(404);
  expect((await service.ask(WEBHOOKS, { key })).json).toEqual({ data: [] });
});

test('an endpoint is refused beyond the twentieth', async () => {
  const { call, create } = await webhookLife();
  for (let n = 0; n < 20; n += 1) await create();
  expect((await call('', 'POST', EXAMPLE)).json).toMatchObject({ code: 'too_many_webhooks' });
});

describe('a request is refused, and the field named', () => {
  test.each([
    [{ url: 'http://hooks.example/' }, 'url', 'url_not_allowed', 'scheme'],
    [{ url: 'https://user:secret@hooks.example/' }, 'url', 'url_not_allowed', 'userinfo'],
    [{ url: 'https://10.0.0.1/' }, 'url', 'url_not_allowed', 'private'],
    [{ url: 'https://0x7f.1/' }, 'url', 'url_not_allowed', 'private'],
    [{ url: 'https://nodots/' }, 'url', 'url_not_allowed', 'host'],
    [{ url: 'https://hooks.example:22/' }, 'url', 'url_not_allowed', 'port'],
    [{ url: 'ftp://hooks.example/' }, 'url', 'url_not_allowed', 'scheme'],
    [{ url: 'nonsense' }, 'url', 'invalid_request', undefined],
    [{}, 'url', 'invalid_request', undefined],
    [{ url: HOOK, events: ['job.done'] }, 'events[0]', 'invalid_request', undefined],
    [{ url: HOOK, description: 'x'.repeat(201) }, 'description', 'invalid_request', undefined],
  ])('%j', async (body, param, code, reason) => {
    const { call } = await webhookLife();
    const { status, json } = await call('', 'POST', body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ param, code, ...(reason && { reason }) });
    expect(json['message']).not.toContain('secret');
  });

  test('a misspelled field comes with the right one', async () => {
    const { call } = await webhookLife();
    expect((await call('', 'POST', { url: HOOK, event: ['job.failed'] })).json).toMatchObject({
      message: "Unknown field 'event'. Did you mean 'events'?",
    });
  });

  test('the service itself is no receiver', async () => {
    const { service, key } = await newService({ allow: [], refuse: ['api.example.com'] });
    const { json } = await service.post(WEBHOOKS, key, { url: 'https://api.example.com/' });
    expect(json).toMatchObject({ param: 'url', reason: 'own' });
  });

  test.each([
    ['http://hooks.example/', 'url_not_allowed'],
    ['https://192.168.0.1/', 'url_not_allowed'],
    ['https://user@hooks.example/', 'url_not_allowed'],
    ['default', 'invalid_request'],
    ['019e2f3a-5b60-7c1d-9f2e-3a4b5c6d7e8f', 'invalid_request'],
  ])('of a job: %s', async (webhook, code) => {
    const { service, key } = await webhookLife();
    const body = { url: 'https://example.com/', webhook };
    const { status, json } = await service.post('/api/v1/scraper/jobs', key, body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ param: 'webhook', code });
  });

  test.each([
    ['a job', 'jobs', { url: 'https://example.com/' }],
    ['a batch', 'batches', { requests: [{ url: 'https://example.com/' }] }],
    ['an upload', 'batches', { input: 'upload' }],
  ])('once deleted still lets the submit of %s be repeated', async (_, path, body) => {
    const { service, key, call, create } = await webhookLife();
    const { id } = await create();
    const submit = (name: string) =>
      service.post(`/api/v1/scraper/${path}`, key, { ...body, webhook: id }, { 'Idempotency-Key': name });
    const first = await submit('a');
    await call(`/${id}`, 'DELETE');
    const again = await submit('a');
    expect([first.status, again.status, again.headers['Idempotent-Replayed']]).toEqual([202, 202, 'true']);
    expect(again.json).toEqual(first.json);
    const other = await submit('b');
    expect(other.json).toMatchObject({ param: 'webhook', code: 'invalid_request' });
  });

  test('of a job is named beside other faults', async () => {
    const { service, key } = await webhookLife();
    const body = { url: 'https://example.com/', timeout: 1, webhook: 'http://hooks.example/' };
    const { json } = await service.post('/api/v1/scraper/jobs', key, body);
    const named = (json['errors'] as { param: string }[]).map(({ param }) => param);
    expect(named.sort()).toEqual(['timeout', 'webhook']);
  });
});

test('a key that is restricted to other routes manages no endpoints', async () => {
  const { world, service, orgId } = await webhookLife();
  const restrictions = { routes: ['jobs' as const] };
  const { api_key: key } = await createKey(world, { orgId, name: 'shop', mode: 'live', restrictions });
  expect((await service.ask(WEBHOOKS, { key })).json['code']).toBe('key_not_allowed');
});

test('locally a receiver on this machine may use http', async () => {
  const { service, key } = await newService({ allow: ['127.0.0.1:9000'] });
  const { status } = await service.post(WEBHOOKS, key, { url: 'http://127.0.0.1:9000/in' });
  expect(status).toBe(201);
  const { json } = await service.post(WEBHOOKS, key, { url: 'http://127.0.0.1:9001/in' });
  expect(json).toMatchObject({
    reason: 'private',
    message: expect.stringContaining('EGRESS_ALLOW') as string,
  });
});
