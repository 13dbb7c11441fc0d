import { expect, test } from 'vitest';
import { csv, tables } from '../../infra/admin/print.ts';
import type { KeyRestrictions } from '../../shared/contract/accounts/account.ts';
import { createKey, type Grace, listKeys, rotateKey } from '../../shared/use-cases/accounts/manage-keys.ts';
import { usageByKey, usageOfAll } from '../../shared/use-cases/accounts/usage-of-all.ts';
import { newService } from '../support/world/api.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const JOBS = `${SCRAPE}/jobs`;
const HOUR_MS = 60 * 60 * 1_000;
const url = 'https://example.com/';

async function restricted(restrictions?: KeyRestrictions) {
  const it = await newService();
  it.world.web[url] = page('hello');
  const wanted = { orgId: it.orgId, name: 'shop', mode: 'live', restrictions, createdBy: 'ada' } as const;
  const { api_key: key, key_id: keyId } = await createKey(it.world, wanted);
  const scrape = (body: object = { url }, by = key) => it.service.post(SCRAPE, by, body);
  return { ...it, key, keyId, scrape };
}

test('a restricted key may call its routes only', async () => {
  const { service, key, scrape } = await restricted({ routes: ['jobs', 'account'] });
  const { status, json, headers } = await scrape();
  expect([status, json.code, headers['X-Credits-Used']]).toEqual([403, 'key_not_allowed', '0']);
  expect(json.message).toBe('This key may not call the routes of "scrape", only those of: jobs, account.');
  expect((await service.post(JOBS, key, { url })).status).toBe(202);
  expect((await service.ask('/api/v1/account', { key })).status).toBe(200);
});

test('a restricted key may request its formats only, also as a job', async () => {
  const { service, key, scrape } = await restricted({ formats: ['markdown'] });
  for (const { status, json } of [await scrape(), await service.post(JOBS, key, { url })])
    expect([status, json.code]).toEqual([403, 'key_not_allowed']);
  expect((await (await restricted({ formats: ['html'] })).scrape()).status).toBe(200);
});

test.each([
  ['evaluate in js_scenario', 'html', { js_scenario: { instructions: [{ evaluate: 'document.title' }] } }],
  [
    'screenshot in js_scenario',
    'screenshot',
    { js_scenario: { instructions: [{ if: { selector: '#a', then: [{ screenshot: 'x' }] } }] } },
  ],
  ['capture', 'html', { capture: [{ url: '*' }] }],
])(
  'a restricted key may use %s only with the format %s, by a sync call, as a job and in a batch',
  async (what, format, fields) => {
    const request = { url, format: 'json', formats: ['markdown'], ...fields };
    const without = await restricted({ formats: ['markdown'] });
    for (const [path, body] of [
      [SCRAPE, request],
      [JOBS, request],
      ['/api/v1/scraper/batches', { requests: [request] }],
    ] as const) {
      const { status, json, headers } = await without.service.post(path, without.key, body);
      expect([status, json.code, headers['X-Credits-Used']]).toEqual([403, 'key_not_allowed', '0']);
      expect(json.message).toContain(`${what}, which needs the format "${format}"`);
    }
    const withIt = await restricted({ formats: ['markdown', format] });
    expect((await withIt.scrape(request)).status).toBe(200);
  },
);

test('a restricted key may wrap several of its formats, and no others', async () => {
  const { scrape } = await restricted({ formats: ['markdown', 'links'] });
  const statusOf = async (fields: object) => (await scrape({ url, ...fields })).status;
  expect(await statusOf({ format: 'links' })).toBe(200);
  expect(await statusOf({ format: 'json', formats: ['markdown', 'links'] })).toBe(200);
  expect(await statusOf({ format: 'json', formats: ['markdown', 'text'] })).toBe(403);
  expect(await statusOf({ format: 'json' })).toBe(403);
});

test('a restricted key may request no other format in the lines of a batch, inline or uploaded', async () => {
  const { service, world, key } = await restricted({ formats: ['markdown'] });
  const [allowed, refused] = [{ url, format: 'markdown' }, { url }];
  const inline = (requests: object[]) => service.post(`${SCRAPE}/batches`, key, { requests });
  expect((await inline([allowed])).status).toBe(202);
  expect((await inline([allowed, refused])).json).toMatchObject({ code: 'key_not_allowed' });
  const { json } = await service.post(`${SCRAPE}/batches`, key, { input: 'upload' });
  world.uploads.send(
    String(json.upload_url),
    [allowed, refused].map((line) => JSON.stringify(line)).join('\n'),
  );
  const path = `${SCRAPE}/batches/${String(json.batch_id)}`;
  await service.ask(`${path}/start`, { method: 'POST', key });
  for (const _ of ['read', 'run', 'run']) await service.work();
  const { text } = await service.ask(`${path}/results`, { key });
  const lines = text.split('\n').filter(Boolean);
  expect(lines.map((line) => (JSON.parse(line) as { error_code?: string }).error_code)).toEqual([
    undefined,
    'key_not_allowed',
  ]);
});

test('a restricted key draws from the rate limit when it is refused', async () => {
  const { scrape } = await restricted({ routes: ['jobs'] });
  const left = async () => Number((await scrape()).headers['X-RateLimit-Remaining']);
  expect((await left()) - (await left())).toBe(1);
});

test('a restricted key uses no more than its credits a day, while the organization has more', async () => {
  const { world, service, orgId, scrape } = await restricted({ creditsPerDay: 7 });
  world.web['https://broken.example/'] = page('sorry', { status: 500 });
  expect((await scrape({ url, render_js: true })).status).toBe(200);
  // Held, then returned: an uncharged scrape does not count.
  for (let time = 0; time < 3; time += 1)
    expect((await scrape({ url: 'https://broken.example/' })).status).toBe(200);
  const refused = await scrape({ url, render_js: true });
  expect([refused.status, refused.json]).toMatchObject([
    403,
    {
      code: 'key_not_allowed',
      message:
        'This key may use 7 credits a day. This scrape may cost 5, and 2 are left until 2026-11-22T00:00:00.000Z.',
      credits_required: 5,
      credits_remaining: 2,
      resets_at: '2026-11-22T00:00:00.000Z',
    },
  ]);
  expect([(await scrape()).status, (await scrape()).status, (await scrape()).status]).toEqual([
    200, 200, 403,
  ]);
  const { key: other } = { key: (await createKey(world, { orgId, name: 'free', mode: 'live' })).api_key };
  expect((await scrape({ url }, other)).status).toBe(200);
  world.pass(12 * HOUR_MS);
  expect((await scrape({ url, render_js: true })).status).toBe(200);
  expect((await service.ask('/api/v1/account', { key: other })).json).toMatchObject({
    credits: { used: 13 },
  });
});

test('a restricted key fails jobs that would exceed its credits a day', async () => {
  const { service, key } = await restricted({ creditsPerDay: 1 });
  const ids: string[] = [];
  for (let n = 0; n < 2; n += 1) ids.push(String((await service.post(JOBS, key, { url })).json.job_id));
  await service.work(ids);
  const codes = await Promise.all(
    ids.map(async (id) => (await service.ask(`${JOBS}/${id}`, { key })).json.error_code),
  );
  expect(codes.filter((code) => code === 'key_not_allowed')).toHaveLength(1);
});

test('the list of keys says when each was used last, to within an hour', async () => {
  const { world, orgId, keyId, scrape } = await restricted();
  const lastUsed = async () =>
    (await listKeys(world, orgId)).keys.find(({ key_id }) => key_id === keyId)?.last_used_at;
  expect(await lastUsed()).toBeUndefined();
  await scrape();
  world.pass(HOUR_MS / 2);
  await scrape();
  expect(await lastUsed()).toBe('2026-11-21T12:00:00.000Z');
  world.pass(HOUR_MS / 2);
  await scrape();
  expect(await lastUsed()).toBe('2026-11-21T13:00:00.000Z');
});

test.each<[Grace, number, number]>([
  ['none', 401, 401],
  ['hour', 200, 401],
  ['day', 200, 200],
])(
  'a rotated key with the grace "%s" works within the hour: %i, and after it: %i',
  async (grace, within, after) => {
    const { world, orgId, keyId, scrape } = await restricted({ creditsPerDay: 50, routes: ['scrape'] });
    const { api_key: next, key_id } = await rotateKey(world, keyId, grace, { orgId, createdBy: 'bob' });
    expect((await scrape({ url }, next)).status).toBe(200);
    expect((await scrape()).status).toBe(within);
    world.pass(HOUR_MS);
    expect((await scrape()).status).toBe(after);
    const { keys } = await listKeys(world, orgId);
    expect(keys.find((key) => key.key_id === key_id)).toMatchObject({
      name: 'shop',
      created_by: 'bob',
      routes: 'scrape',
      credits_per_day: 50,
      status: 'active',
    });
  },
);

test('a rotated key must be active and of the same organization', async () => {
  const { world, service, keyId } = await restricted();
  const { orgId: other } = await service.organization();
  await expect(rotateKey(world, keyId, 'day', { orgId: other })).rejects.toMatchObject({
    code: 'not_found',
  });
  await rotateKey(world, keyId, 'none');
  await expect(rotateKey(world, keyId, 'none')).rejects.toMatchObject({ code: 'not_found' });
});

test('the operator sees the usage of every organization in a month, by day and by key', async () => {
  const { world, service, orgId, keyId, scrape } = await restricted();
  await service.organization({ name: 'Quiet' });
  await scrape();
  await scrape({ url, render_js: true });
  const sum = { scrapes: 2, succeeded: 2, failed: 0, credits: 6 };
  expect((await usageOfAll(world, '2026-11')).usage).toEqual([
    { org_id: orgId, name: 'Test', ...sum },
    { org_id: expect.any(String) as string, name: 'Quiet', scrapes: 0, succeeded: 0, failed: 0, credits: 0 },
  ]);
  expect((await usageOfAll(world, '2026-11', 'day')).usage).toMatchObject([
    { day: '2026-11-21', kind: 'plain', credits: 1 },
    { day: '2026-11-21', kind: 'rendered', credits: 5 },
  ]);
  expect((await usageByKey(world, '2026-11')).usage).toEqual([
    { org_id: orgId, name: 'Test', key_id: keyId, ...sum },
  ]);
});

test('usage by key adds up: the lines of uploads, which have no key, are in a row of their own', async () => {
  const { world, service, key, orgId, keyId, scrape } = await restricted();
  await scrape();
  const { json } = await service.post(`${SCRAPE}/batches`, key, { input: 'upload' });
  world.uploads.send(
    String(json.upload_url),
    [{ url }, { url }].map((line) => JSON.stringify(line)).join('\n'),
  );
  await service.ask(`${SCRAPE}/batches/${String(json.batch_id)}/start`, { method: 'POST', key });
  await service.work();
  await service.work();
  const whose = { org_id: orgId, name: 'Test' };
  const result = await usageByKey(world, '2026-11');
  expect(result.usage).toEqual([
    { ...whose, key_id: keyId, scrapes: 1, succeeded: 1, failed: 0, credits: 1 },
    { ...whose, scrapes: 2, succeeded: 2, failed: 0, credits: 2 },
  ]);
  expect(csv(result).split('\r\n')[2]).toBe(`${orgId},Test,,2,2,0,2`);
  expect(tables(result).split('\n').at(-1)).toMatch(/^org_\w+ +Test +- +2 +2 +0 +2$/);
});
