import { expect, test } from 'vitest';
import { type Json, schemaOf } from '../../shared/contract/json-schema.ts';
import { RecordedFields } from '../../shared/contract/scrape/recorded-fields.ts';
import { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import { AppError } from '../../shared/errors.ts';
import type { Answer } from '../support/world/api.ts';
import { newService } from '../support/world/api.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const ACCOUNT = '/api/v1/account';
const HOUR_MS = 60 * 60 * 1_000;
const url = 'https://example.com/';

/** One plain and one rendered page, a failing target, and an unreachable one. */
async function usedService() {
  const it = await newService();
  const { world, service, key } = it;
  world.web[url] = page('hello');
  world.web['https://broken.example/'] = page('sorry', { status: 500 });
  world.web['https://dead.example/'] = new AppError('connect_failed');
  const scrape = (body: object) => {
    world.pass(1);
    return service.post(SCRAPE, key, body);
  };
  const answers = [
    await scrape({ url }),
    await scrape({ url, render_js: true }),
    await scrape({ url: 'https://broken.example/' }),
    await scrape({ url: 'https://dead.example/' }),
  ];
  const get = (path: string) => service.ask(`${ACCOUNT}${path}`, { key });
  return { ...it, answers, get };
}

const reported = (answers: readonly Answer[]) =>
  answers.reduce((sum, { headers }) => sum + Number(headers['X-Credits-Used']), 0);

test('the account shows limits and credits, and the call costs nothing', async () => {
  const { get, orgId } = await usedService();
  const { status, json, headers } = await get('');
  expect(status).toBe(200);
  expect(json).toEqual({
    org_id: orgId,
    name: 'Test',
    plan: 'free',
    status: 'active',
    limits: { credits: 1_000, rpm: 60, reads_per_minute: 600, concurrency: 10 },
    period: '2026-11',
    credits: { granted: 1_000, used: 6, held: 0, available: 994, resets_at: '2026-12-01T00:00:00.000Z' },
    in_progress: 0,
  });
  expect(headers).toMatchObject({ 'X-Credits-Used': '0', 'X-Credits-Reason': 'free' });
  expect(headers['X-RateLimit-Limit']).toBe('600');
});

test('usage by day, activity and the headers of the scrapes add up to the same credits', async () => {
  const { get, answers } = await usedService();
  const usage = (await get('/usage')).json;
  const activity = (await get('/activity')).json.data as { credits: number; reason: string }[];
  expect(usage).toMatchObject({
    from: '2026-10-23',
    to: '2026-11-21',
    by: 'day',
    total: { scrapes: 4, succeeded: 2, failed: 2, credits: 6 },
  });
  expect(usage.data).toEqual([
    {
      day: '2026-11-21',
      kind: 'plain',
      scrapes: 3,
      succeeded: 1,
      failed: 2,
      credits: 1,
      reasons: { page: 1, target_status: 1, no_page: 1, refused: 0, wall: 0, cached: 0, duplicate: 0 },
    },
    {
      day: '2026-11-21',
      kind: 'rendered',
      scrapes: 1,
      succeeded: 1,
      failed: 0,
      credits: 5,
      reasons: { page: 1, target_status: 0, no_page: 0, refused: 0, wall: 0, cached: 0, duplicate: 0 },
    },
  ]);
  expect(activity.reduce((sum, { credits }) => sum + credits, 0)).toBe(6);
  expect(reported(answers)).toBe(6);
  const reasons = answers.map(({ headers }) => headers['X-Credits-Reason']);
  expect(activity.map(({ reason }) => reason).sort()).toEqual(reasons.sort());
});

test('usage stays when the month turns', async () => {
  const { get, world, service, key } = await usedService();
  world.pass(10 * 24 * HOUR_MS);
  await service.post(SCRAPE, key, { url });
  expect((await get('')).json).toMatchObject({ period: '2026-12', credits: { used: 1 } });
  expect((await get('/usage')).json).toMatchObject({ total: { scrapes: 5, credits: 7 } });
  expect((await get('/usage?from=2026-12-01')).json).toMatchObject({ total: { scrapes: 1, credits: 1 } });
  expect((await get('/usage?to=2026-11-30')).json).toMatchObject({ total: { scrapes: 4, credits: 6 } });
});

test('usage up to a day in the future begins 30 days before its end, which is tomorrow', async () => {
  const { get } = await usedService();
  const { from, to } = (await get('/usage?to=2030-01-01')).json as { from: string; to: string };
  expect((Date.parse(to) - Date.parse(from)) / 86_400_000).toBe(29);
});

test.each([
  ['from=yesterday', 'from', "Invalid value for 'from': expected a UTC date such as 2026-11-21."],
  ['to=2026-02-30', 'to', "Invalid value for 'to': expected a UTC date such as 2026-11-21."],
  [
    'from=2026-11-21&to=2026-11-20',
    'from',
    "Invalid value for 'from': expected a day that is not after 'to', which is 2026-11-20.",
  ],
  ['from=2025-09-30', 'from', "Invalid value for 'from': usage is kept since 2025-10-01."],
  ['by=month', 'by', "Invalid value for 'by': expected day."],
  ['form=2026-11-01', 'form', "Unknown field 'form'. Did you mean 'from'?"],
  ['from=2026-11-01&from=2026-11-02', 'from', "Parameter 'from' is given more than once."],
])('days that are refused: %s', async (query, param, message) => {
  const { get } = await usedService();
  const { status, json } = await get(`/usage?${query}`);
  expect([status, json.code, json.param, json.message]).toEqual([400, 'invalid_request', param, message]);
});

test('days that are refused are all listed', async () => {
  const { get } = await usedService();
  const { json } = await get('/usage?from=a&to=b');
  expect(json.errors).toMatchObject([{ param: 'from' }, { param: 'to' }]);
});

test('a line of activity has the details of the scrape, but no query, header or cookie', async () => {
  const { world, service, key, orgId, get } = await usedService();
  world.web['https://example.com/path?token=secret'] = page('hello');
  const headers = { 'X-Token': 'secret' };
  const body = { url: 'https://example.com/path?token=secret', headers, cookies: { session: 'secret' } };
  world.pass(1);
  const answer = await service.post(SCRAPE, key, body);
  const [line] = (await get('/activity?limit=1')).json.data as [Record<string, unknown>];
  expect(line).toMatchObject({
    type: 'scrape',
    request_id: answer.headers['X-Request-Id'],
    url: 'https://example.com/path',
    host: 'example.com',
    options: { render_js: false, premium_proxy: false, timeout: 90_000 },
    target_status: 200,
    credits: 1,
    reason: 'page',
  });
  const stored = await world.activity.lines(orgId, { from: '2026', to: '2027', limit: 100 });
  expect(stored).toHaveLength(5);
  expect(JSON.stringify(stored)).not.toContain('secret');
});

test('activity keeps the options of a request, but no field into which a caller can write any text', async () => {
  const { world, service, key, get } = await usedService();
  world.web[url] = page('hello');
  const secret = {
    headers: { 'Content-Type': 'text/secret' },
    body: 'secret',
    max_credits: 7,
    method: 'POST',
  };
  expect((await service.post(SCRAPE, key, { url, ...secret })).status).toBe(200);
  const lines = (await get('/activity')).json.data as { options: object }[];
  const options = { render_js: false, premium_proxy: false, timeout: 90_000, max_credits: 7, method: 'POST' };
  expect(lines.map((line) => line.options)).toContainEqual(options);
  const { url: _url, ...fields } = schemaOf(ScrapeRequest)['properties'] as Record<string, Json>;
  const isFree = ({ type, enum: values, anyOf }: Json) =>
    !values && (anyOf || /string|object/.test(String(type)));
  const harmless = ['country_code', 'pdf'];
  const free = Object.keys(fields).filter((name) => isFree(fields[name] ?? {}) && !harmless.includes(name));
  expect(free).toContain('js_scenario');
  for (const name of [...free, 'capture']) expect(RecordedFields.shape).not.toHaveProperty(name);
});

test('a job has one line however often it is delivered', async () => {
  const { service, key, get } = await usedService();
  const { json } = await service.post(`${SCRAPE}/jobs`, key, { url });
  for (let time = 0; time < 2; time += 1) await service.work([String(json.job_id)]);
  await service.sweep();
  const lines = (await get('/activity')).json.data as Record<string, unknown>[];
  expect(lines.filter(({ type }) => type === 'job')).toMatchObject([
    { job_id: json.job_id, credits: 1, reason: 'page', target_status: 200 },
  ]);
});

test('a long URL in a line of activity has a mark where it was cut', async () => {
  const { world, service, key, get } = await usedService();
  const long = `${url}${'a'.repeat(600)}`;
  world.pass(1);
  await service.post(SCRAPE, key, { url: long });
  const [line] = (await get('/activity?limit=1')).json.data as [{ url: string }];
  expect(line.url).toBe(`${long.slice(0, 512)}…`);
});

type Line = { request_id: string; host: string };
const pageOf = (answer: Answer) => answer.json as { data: Line[]; next_cursor?: string };

test('the list of activity has every line on one page, newest first, while others are added', async () => {
  const { world, service, key, get } = await usedService();
  const seen: string[] = [];
  const before = pageOf(await get('/activity')).data.map((line) => line.request_id);
  let query = '?limit=1';
  for (;;) {
    const { data, next_cursor: cursor } = pageOf(await get(`/activity${query}`));
    seen.push(...data.map((line) => line.request_id));
    if (cursor === undefined) break;
    query = `?limit=1&cursor=${cursor}`;
    world.pass(1);
    await service.post(SCRAPE, key, { url });
  }
  expect(seen).toEqual(before);
  expect(seen).toEqual(seen.toSorted().reverse());
});

test.each([
  ['host=EXAMPLE.com', 2],
  ['status=500', 1],
  ['code=connect_failed', 1],
  ['status=200&host=broken.example', 0],
  ['key_id=nobody', 0],
])('the list of activity can be filtered by %s', async (filter, count) => {
  const { get } = await usedService();
  expect(pageOf(await get(`/activity?${filter}`)).data).toHaveLength(count);
});

test('the list of activity has the requested days only, and none older than 30 days', async () => {
  const { world, service, key, get } = await usedService();
  world.pass(24 * HOUR_MS);
  await service.post(SCRAPE, key, { url });
  expect(pageOf(await get('/activity?to=2026-11-21')).data).toHaveLength(4);
  expect(pageOf(await get('/activity?from=2026-11-22')).data).toHaveLength(1);
  world.pass(29 * 24 * HOUR_MS + 1);
  expect(pageOf(await get('/activity')).data).toHaveLength(1);
  world.pass(24 * HOUR_MS);
  expect(pageOf(await get('/activity')).data).toHaveLength(0);
});

test.each(['!', 'bm90IG91cnM', ''])('the list of activity refuses the cursor "%s"', async (cursor) => {
  const { get } = await usedService();
  expect((await get(`/activity?cursor=${cursor}`)).json).toMatchObject({
    code: 'invalid_request',
    param: 'cursor',
  });
});

test('the list of activity shows nothing of another organization, with its cursor either', async () => {
  const { service, get } = await usedService();
  const other = await service.organization();
  const { next_cursor: cursor = '' } = pageOf(await get('/activity?limit=1'));
  for (const query of ['', `?cursor=${cursor}`])
    expect(pageOf(await service.ask(`${ACCOUNT}/activity${query}`, other)).data).toEqual([]);
});
