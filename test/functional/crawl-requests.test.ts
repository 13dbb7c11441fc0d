import { describe, expect, test } from 'vitest';
import type { Crawl } from '../../shared/contract/crawls/crawl.ts';
import { DROPPED_PARAMETERS } from '../../shared/domain/crawls/url-identity.ts';
import { createKey } from '../../shared/use-cases/accounts/manage-keys.ts';
import type { KeyRestrictions } from '../../shared/contract/accounts/account.ts';
import { serviceOver } from '../support/world/api.ts';
import {
  asNewOrganization,
  key,
  newServiceEachTest,
  orgId,
  service,
  world,
} from '../support/world/each-test.ts';
import { API_URL } from '../support/world/in-memory-world.ts';

const CRAWLS = '/api/v1/crawls';
const url = 'https://example.com/';
const NOWHERE = '01a1fc65-ce39-73c6-a38e-ad4f30b810a7';

newServiceEachTest({ overrides: { rpm: 10_000, readsPerMinute: 10_000 } });

const submit = (body: unknown, headers = {}, by = key) => service.post(CRAWLS, by, body, headers);
const stored = (id: unknown) => world.crawls.find(String(id)) as Promise<Crawl>;
const get = (path: string, by = key) => service.ask(`${CRAWLS}/${path}`, { key: by });
const act = (path: string, by = key, headers = {}) =>
  service.ask(`${CRAWLS}/${path}`, { method: 'POST', key: by, headers });

async function submitted(fields: object = {}) {
  const answer = await submit({ url, ...fields });
  expect([answer.status, answer.text]).toEqual([202, answer.text]);
  return answer.json;
}

async function restricted(restrictions: KeyRestrictions) {
  const wanted = { orgId, name: 'shop', mode: 'live', restrictions, createdBy: 'ada' } as const;
  return (await createKey(world, wanted)).api_key;
}

test('a crawl is accepted with where to find it, and costs nothing yet', async () => {
  const { status, headers, json } = await submit({ url: `${url}#top`, tags: ['nightly'] });
  const [id, now] = [String(json['crawl_id']), world.now()];
  expect(status).toBe(202);
  expect(headers).toMatchObject({
    Location: `${CRAWLS}/${id}`,
    'X-Credits-Used': '0',
    'X-Credits-Reason': 'free',
    'Retry-After': '5',
  });
  const { counts, ...rest } = json;
  expect(rest).toEqual({
    crawl_id: id,
    status: 'running',
    credits_used: 0,
    url,
    tags: ['nightly'],
    created_at: now.toISOString(),
    deadline_at: new Date(now.getTime() + 86_400_000).toISOString(),
    expires_at: rest['expires_at'],
    status_url: `${API_URL}${CRAWLS}/${id}`,
    results_url: `${API_URL}${CRAWLS}/${id}/results`,
    urls_url: `${API_URL}${CRAWLS}/${id}/urls`,
  });
  const { discovered = NaN, ...others } = counts as Record<string, number>;
  expect(Object.values(others).reduce((sum, each) => sum + each, 0)).toBe(discovered);
  expect(world.queue.take()).toContainEqual({ crawlId: id });
});

test('a crawl keeps its fields with their defaults', async () => {
  const { crawl_id: id } = await submitted();
  expect((await stored(id)).request).toEqual({
    ...{ urls: [url], limit: 100, maxDepth: 10, scope: 'host', allowHosts: [], include: [], exclude: [] },
    ...{ sitemaps: 'include', robots: 'obey', concurrency: 2, delay: 0, completeWithin: 86_400, request: {} },
  });
});

test('a crawl keeps all fields that it is sent', async () => {
  const { crawl_id: earlier } = await submitted();
  const ran = await stored(earlier);
  await world.crawls.replace(ran, { ...ran, revision: 1, completedAt: world.now() });
  const fields = {
    urls: [url, 'https://Example.com/b?c#d', url],
    limit: 1_000_000,
    max_depth: 0,
    scope: 'any',
    allow_hosts: ['Docs.Example.com', '*.münchen.example', 'localhost:8080'],
    include: ['/a/**'],
    exclude: ['*.pdf'],
    sitemaps: 'only',
    robots: 'report',
    content_use: ['search', 'ai-input', 'ai-train'],
    query: { drop: [...DROPPED_PARAMETERS] },
    concurrency: 10,
    delay: 60_000,
    changed_since: earlier,
    max_credits: 7,
    complete_within: 604_800,
    webhook: 'https://hooks.example/x',
    request: { mode: 'auto', format: 'json', formats: ['markdown', 'links'], max_age: 60, retry_on: [503] },
  };
  const { status, json } = await submit(fields);
  expect([status, json['not_included']]).toEqual([202, [url, 'https://example.com/b?c']]);
  const { request, webhook } = await stored(json['crawl_id']);
  expect(webhook).toBe('https://hooks.example/x');
  expect(request).toEqual({
    ...{ urls: [url, 'https://example.com/b?c'], limit: 1_000_000, maxDepth: 0, scope: 'any' },
    allowHosts: ['docs.example.com', '*.xn--mnchen-3ya.example', 'localhost:8080'],
    ...{ include: ['/a/**'], exclude: ['*.pdf'], sitemaps: 'only', robots: 'report' },
    ...{ contentUse: fields.content_use, query: fields.query, concurrency: 10, delay: 60_000 },
    ...{ changedSince: earlier, maxCredits: 7, completeWithin: 604_800, request: fields.request },
  });
});

const many = (count: number, text: string) => Array.from({ length: count }, (_, n) => `${text}${n}`);

describe('a field that is wrong is named', () => {
  test.each<[string, object]>([
    ['url', {}],
    ['url', { url: 7 }],
    ['url', { url: '/relative' }],
    ['url', { url: `https://example.com/${'a'.repeat(2_048)}` }],
    ['url', { url: `https://example.com/${'ä'.repeat(1_000)}` }],
    ['urls', { url, urls: [url] }],
    ['urls', { urls: [] }],
    ['urls', { urls: many(101, url) }],
    ['urls[1]', { urls: [url, 'x'] }],
    ['urls[1]', { urls: [url, 7] }],
    ['limit', { url, limit: 0 }],
    ['limit', { url, limit: 1_000_001 }],
    ['limit', { url, limit: 1.5 }],
    ['max_depth', { url, max_depth: -1 }],
    ['max_depth', { url, max_depth: 101 }],
    ['scope', { url, scope: 'site' }],
    ['scope', { url, scope: 'any' }],
    ['scope', { url, scope: 'any', allow_hosts: [] }],
    ['allow_hosts[1]', { url, allow_hosts: ['example.com', 'https://example.com'] }],
    ['allow_hosts[0]', { url, allow_hosts: ['*'] }],
    ['allow_hosts[0]', { url, allow_hosts: ['a.*.example'] }],
    ['allow_hosts[0]', { url, allow_hosts: ['example.com/path'] }],
    ['allow_hosts[0]', { url, allow_hosts: ['exa mple.com'] }],
    ['allow_hosts', { url, allow_hosts: many(101, 'a.example') }],
    ['include[3]', { url, include: ['/a', '/b', '/c', 'd'] }],
    ['include', { url, include: many(101, '/') }],
    ['exclude[0]', { url, exclude: [`/${'a'.repeat(500)}`] }],
    ['exclude', { url, exclude: many(101, '/') }],
    ['sitemaps', { url, sitemaps: true }],
    ['robots', { url, robots: 'never' }],
    ['content_use', { url, content_use: [] }],
    ['content_use[0]', { url, content_use: ['train'] }],
    ['query', { url, query: 'drop' }],
    ['query.drop[0]', { url, query: { drop: ['a=b'] } }],
    ['concurrency', { url, concurrency: 0 }],
    ['concurrency', { url, concurrency: 11 }],
    ['delay', { url, delay: -1 }],
    ['delay', { url, delay: 60_001 }],
    ['max_credits', { url, max_credits: -1 }],
    ['complete_within', { url, complete_within: 59 }],
    ['complete_within', { url, complete_within: 604_801 }],
    ['tags[0]', { url, tags: ['a b'] }],
    ['changed_since', { url, changed_since: 'yesterday' }],
    ['changed_since', { url, changed_since: NOWHERE }],
    ['depth', { url, depth: 3 }],
    ['request', { url, request: [] }],
    ['request.url', { url, request: { url } }],
    ['request.method', { url, request: { method: 'GET' } }],
    ['request.body', { url, request: { body: '{}' } }],
    ['request.tags', { url, request: { tags: ['a'] } }],
    ['request.custom_id', { url, request: { custom_id: 'a' } }],
    ['request.max_chars', { url, request: { max_chars: 1_000 } }],
    ['request.timeout', { url, request: { timeout: 1 } }],
    ['request.wait_for', { url, request: { wait_for: '#a' } }],
    ['request.render_js', { url, request: { mode: 'auto', render_js: false } }],
    ['request.cookies', { url, request: { max_age: 60, cookies: 'a=1' } }],
    ['request.extract_rules', { url, request: { extract_rules: { a: { selector: '((' } } } }],
  ])('%s of %j', async (param, body) => {
    const { status, json } = await submit(body);
    expect([status, json['code'], json['param']]).toEqual([400, 'invalid_request', param]);
    expect(world.queue.take()).toEqual([]);
  });
});

test('all faults are reported together, with an unknown field and what was meant', async () => {
  const { json } = await submit({
    ...{ urls: [url, 'ftp://example.com/', 'http://127.0.0.1/'], limits: 5, delay: -1 },
    request: { render: true, timeout: 1 },
  });
  const faults = json['errors'] as { param: string; message: string }[];
  expect(faults.map(({ param }) => param).sort()).toEqual(
    ['delay', 'limits', 'request.render', 'request.timeout', 'urls[1]', 'urls[2]'].sort(),
  );
  expect(faults.find(({ param }) => param === 'limits')?.message).toContain("Did you mean 'limit'?");
});

test.each([
  ['url', { url: 'http://127.0.0.1/' }, 'private'],
  ['urls[1]', { urls: [url, 'http://user:secret@example.com/'] }, 'userinfo'],
  ['urls[0]', { urls: ['ftp://example.com/'] }, 'scheme'],
])('a page to begin at that may not be scraped is refused: %s of %j', async (param, body, reason) => {
  const { status, json } = await submit(body);
  expect([status, json['code'], json['param'], json['reason']]).toEqual([
    400,
    'url_not_allowed',
    param,
    reason,
  ]);
});

test('an earlier crawl must be ended, and of the same organization', async () => {
  const { crawl_id: id } = await submitted();
  expect((await submit({ url, changed_since: id })).json).toMatchObject({ param: 'changed_since' });
  const ran = await stored(id);
  await world.crawls.replace(ran, { ...ran, revision: 1, completedAt: world.now() });
  expect((await submit({ url, changed_since: id })).status).toBe(202);
  await asNewOrganization();
  expect((await submit({ url, changed_since: id })).json).toMatchObject({ param: 'changed_since' });
});

test('a body that is no JSON object is refused', async () => {
  expect((await submit('[')).status).toBe(400);
  expect((await submit([])).status).toBe(400);
  expect((await submit({ url }, { 'Content-Type': 'text/plain' })).status).toBe(415);
  expect((await submit({ url, include: [`/${'a'.repeat(300_000)}`] })).status).toBe(413);
});

test('robots.txt is ignored only where the operator allows it', async () => {
  const refused = await submit({ url, robots: 'ignore' });
  expect([refused.status, refused.json['code'], refused.json['param']]).toEqual([
    403,
    'robots_required',
    'robots',
  ]);
  const lenient = serviceOver(world, undefined, { robotsToken: 'Sitefetch', mayIgnoreRobots: true });
  expect((await lenient.post(CRAWLS, key, { url, robots: 'ignore' })).status).toBe(202);
});

test('a crawl of which not one page is affordable is refused, and a cap below the price of one', async () => {
  const capped = await submit({ url, max_credits: 4, request: { render_js: true } });
  expect([capped.status, capped.json['code'], capped.json['param']]).toEqual([
    402,
    'cost_cap_exceeded',
    'max_credits',
  ]);
  const own = await submit({ url, request: { render_js: true, max_credits: 4 } });
  expect([own.status, own.json['param']]).toEqual([402, 'request.max_credits']);
  await asNewOrganization({ overrides: { credits: 4 } });
  expect((await submit({ url })).status).toBe(202);
  const poor = await submit({ url, request: { render_js: true } });
  expect([poor.status, poor.json['code']]).toEqual([402, 'insufficient_credits']);
  expect((await submit({ url, request: { mode: 'auto' } })).status).toBe(202);
});

test('a premium proxy is refused where there is none', async () => {
  const { status, json } = await submit({ url, request: { premium_proxy: true } });
  expect([status, json['code']]).toEqual([503, 'premium_proxy_unavailable']);
});

test('a webhook that is no endpoint of the organization is refused', async () => {
  expect((await submit({ url, webhook: NOWHERE })).status).toBe(400);
});

test('a repeat with the same Idempotency-Key returns the same crawl', async () => {
  const headers = { 'Idempotency-Key': 'site-1' };
  const first = await submit({ url, limit: 5 }, headers);
  const again = await submit({ limit: 5, url }, headers);
  expect([again.status, again.json['crawl_id'], again.headers['Idempotent-Replayed']]).toEqual([
    202,
    first.json['crawl_id'],
    'true',
  ]);
  expect(world.queue.take()).toEqual([{ crawlId: first.json['crawl_id'] }]);
  expect((await submit({ url, limit: 6 }, headers)).json['code']).toBe('idempotency_key_reused');
  expect((await submit({ url }, { 'Idempotency-Key': '' })).status).toBe(400);
  await asNewOrganization();
  expect((await submit({ url, limit: 6 }, headers)).json['crawl_id']).not.toBe(first.json['crawl_id']);
});

test('a submit takes one place of the scrape bucket, and reads take one of the reads', async () => {
  await asNewOrganization({ overrides: { rpm: 1, readsPerMinute: 1 } });
  const { crawl_id: id } = await submitted();
  expect((await submit({ url })).status).toBe(429);
  expect((await get(String(id))).status).toBe(200);
  expect((await get(String(id))).status).toBe(429);
});

test('keys are restricted to routes and formats', async () => {
  const { crawl_id: id } = await submitted();
  const jobsOnly = await restricted({ routes: ['scrape', 'jobs', 'account', 'webhooks'] });
  for (const answer of [
    await submit({ url }, {}, jobsOnly),
    await service.ask(CRAWLS, { key: jobsOnly }),
    await get(String(id), jobsOnly),
    await get(`${String(id)}/urls`, jobsOnly),
    await get(`${String(id)}/results`, jobsOnly),
    await act(`${String(id)}/cancel`, jobsOnly),
    await act(`${String(id)}/retry_failed`, jobsOnly),
  ])
    expect([answer.status, answer.json['code']]).toEqual([403, 'key_not_allowed']);
  const crawlsOnly = await restricted({ routes: ['crawls'], formats: ['markdown'] });
  expect((await service.ask('/api/v1/account', { key: crawlsOnly })).status).toBe(403);
  expect((await submit({ url, request: { format: 'markdown' } }, {}, crawlsOnly)).status).toBe(202);
  expect((await submit({ url }, {}, crawlsOnly)).json['code']).toBe('key_not_allowed');
});

test('no route shows a crawl that is unknown, expired, malformed or of another organization', async () => {
  const { crawl_id: id } = await submitted();
  const paths = (of: string) => [
    () => get(of),
    () => get(`${of}/urls`),
    () => get(`${of}/results`),
    () => act(`${of}/cancel`),
    () => act(`${of}/retry_failed`),
  ];
  const owner = key;
  await asNewOrganization({ overrides: { rpm: 1_000, readsPerMinute: 1_000 } });
  for (const ask of [NOWHERE, 'x', 'CRAWL', String(id)].flatMap(paths))
    expect((await ask()).json).toMatchObject({ code: 'not_found' });
  expect((await service.ask(CRAWLS, { key })).json).toEqual({ data: [] });
  expect((await get(String(id), owner)).status).toBe(200);
  world.pass(31 * 24 * 3_600_000);
  expect((await get(String(id), owner)).status).toBe(404);
  expect((await service.ask(CRAWLS, { key: owner })).json).toEqual({ data: [] });
});

test('crawls are listed newest first, each on exactly one page', async () => {
  const ids: unknown[] = [];
  for (let n = 0; n < 5; n++) {
    ids.unshift((await submitted({ tags: [`n${n}`] }))['crawl_id']);
    world.pass(1_000);
  }
  const seen: unknown[] = [];
  for (let query = '?limit=2'; ;) {
    const { json, headers } = await service.ask(`${CRAWLS}${query}`, { key });
    seen.push(...(json['data'] as { crawl_id: string }[]).map((each) => each.crawl_id));
    const { next_cursor: cursor } = json as { next_cursor?: string };
    if (cursor === undefined) break;
    expect(headers['Link']).toContain(cursor);
    query = `?limit=2&cursor=${cursor}`;
  }
  expect(seen).toEqual(ids);
  for (const query of ['?cursor=x', '?limit=0', '?limit=101', '?status=done'])
    expect((await service.ask(CRAWLS + query, { key })).status).toBe(400);
});

test('a crawl is cancelled once, and an ended crawl is not', async () => {
  const { crawl_id: id } = await submitted();
  world.queue.take();
  const first = await act(`${String(id)}/cancel`);
  expect([first.status, first.json['status']]).toEqual([200, 'cancelled']);
  expect(world.queue.take()).toContainEqual({ crawlId: id });
  const again = await act(`${String(id)}/cancel`);
  expect([again.status, again.json['cancelled_at']]).toEqual([200, first.json['cancelled_at']]);
  const { crawl_id: other } = await submitted();
  const ran = await stored(other);
  await world.crawls.replace(ran, { ...ran, status: 'completed', revision: 1, completedAt: world.now() });
  expect((await act(`${String(other)}/cancel`)).json).toMatchObject({ code: 'crawl_finished' });
});

test('a crawl that runs, or in which nothing failed, is not retried', async () => {
  const { crawl_id: id } = await submitted();
  const retry = (body?: object) => service.post(`${CRAWLS}/${String(id)}/retry_failed`, key, body);
  expect((await retry()).json).toMatchObject({ code: 'crawl_not_finished' });
  const ran = await stored(id);
  await world.crawls.replace(ran, { ...ran, status: 'completed', revision: 1, completedAt: world.now() });
  expect((await retry()).json).toMatchObject({ code: 'nothing_to_retry' });
  expect((await retry({ include: [] })).json).toMatchObject({ param: 'include' });
  expect((await retry({ include: ['all'] })).json).toMatchObject({ param: 'include[0]' });
  expect((await retry({ only: 1 })).json).toMatchObject({ param: 'only' });
});

test('no log line has a key, a query or what the pages are for', async () => {
  await submitted({ url: 'https://example.com/?token=secret-1', tags: ['secret-2'] });
  const { lines } = service;
  expect(JSON.stringify(lines)).not.toMatch(/secret-[12]/);
});
