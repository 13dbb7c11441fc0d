import { beforeEach, expect, test } from 'vitest';
import { API_URL } from '../support/world/in-memory-world.ts';
import { errorCodes } from '../../shared/errors.ts';
import { AppError } from '../../shared/errors.ts';
import { asNewOrganization, key, newServiceEachTest, service, world } from '../support/world/each-test.ts';
import type { World } from '../support/world/in-memory-world.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const JOBS = `${SCRAPE}/jobs`;
const NOBODYS = `${JOBS}/019a0000-0000-7000-8000-000000000000`;
const url = 'https://example.com/';
const simple = `${SCRAPE}?url=${encodeURIComponent(url)}`;

newServiceEachTest();
beforeEach(() => {
  world.web[url] = page('<h1>Hello</h1>');
});

const submit = async () => String((await service.post(JOBS, key, { url })).json.job_id);
const resultOf = async (web: World['web'][string], times = 1) => {
  world.web[url] = web;
  const id = await submit();
  for (let n = 0; n < times; n++) {
    await service.work([id]);
    world.pass(60_000);
  }
  return service.ask(`${JOBS}/${id}/result`, { key });
};

test.each([
  ['page', 'a page', () => service.post(SCRAPE, key, { url })],
  ['page', 'a page that is not found', () => scraped(page('x', { status: 404 }))],
  ['page', 'a page by GET', () => service.ask(simple, { key })],
  ['target_status', 'a target that fails', () => scraped(page('x', { status: 503 }))],
  ['no_page', 'a target that cannot be reached', () => scraped(new AppError('connect_failed'))],
  ['no_page', 'a page that takes too long', () => scraped(new AppError('timeout'))],
  ['no_page', 'a page that is too large', () => scraped(new AppError('response_too_large'))],
  ['no_page', 'a fault of the service', () => scraped(new AppError('internal'))],
  ['refused', 'a wrong field', () => service.post(SCRAPE, key, { url, timeout: 1 })],
  ['refused', 'a private target', () => service.post(SCRAPE, key, { url: 'http://10.0.0.1/' })],
  ['refused', 'no key', () => service.post(SCRAPE, undefined, { url })],
  ['refused', 'no premium proxy', () => service.post(SCRAPE, key, { url, premium_proxy: true })],
  ['refused', 'a wrong submit', () => service.post(JOBS, key, {})],
  ['refused', 'an unknown path', () => service.ask('/api/v2', { key })],
  ['refused', 'a wrong method', () => service.ask(SCRAPE, { key, method: 'PUT' })],
  ['free', 'a submit', () => service.post(JOBS, key, { url })],
  ['free', 'a status', async () => service.ask(`${JOBS}/${await submit()}`, { key })],
  ['free', 'a result', () => resultOf(page('x'))],
  ['free', 'the result of a failed job', () => resultOf(new AppError('dns_failed'), 3)],
  ['free', 'the health check', () => service.ask('/healthz')],
])('X-Credits-Reason is %s for %s', async (reason, _, ask) => {
  const { headers } = await ask();
  expect(headers).toMatchObject({
    'X-Credits-Reason': reason,
    'X-Credits-Used': reason === 'page' ? '1' : '0',
  });
});

const scraped = (web: World['web'][string]) => {
  world.web[url] = web;
  return service.post(SCRAPE, key, { url });
};

test.each(errorCodes)('an error: %s names its page, and whether another try may help', async (code) => {
  world.web[url] = new AppError(code);
  const { json } = await service.post(SCRAPE, key, { url });
  expect(json.doc_url).toBe(`${API_URL}/docs/errors/${code}`);
  expect(json.retryable).toBe(RETRYABLE.includes(code));
});

const RETRYABLE: readonly string[] = [
  ...[
    'job_not_finished',
    'batch_not_finished',
    'crawl_not_finished',
    'idempotency_in_flight',
    'rate_limited',
    'too_many_concurrent',
    'busy',
    'timeout',
    'target_status',
  ],
  ...['dns_failed', 'connect_failed', 'proxy_failed', 'bad_upstream_response', 'browser_crashed'],
  'model_failed',
];

test('an error names its page by the URL of the API, whatever host the caller names', async () => {
  const headers = { Host: 'evil.example', 'X-Forwarded-Proto': 'http' };
  const { json } = await service.ask(NOBODYS, { key, mount: '/prod', headers });
  expect(json.doc_url).toBe(`${API_URL}/docs/errors/not_found`);
});

test('an error of a job has the details that the scrape itself would have had', async () => {
  const redirected = new AppError('url_not_allowed', { fields: { param: 'url', reason: 'redirect' } });
  const { status, json } = await resultOf(redirected);
  expect([status, json.code, json.reason, json.status]).toEqual([
    422,
    'url_not_allowed',
    'redirect',
    'failed',
  ]);
});

test('a limit of credits says the cost, the balance, and when the month ends', async () => {
  const poor = await service.organization({ overrides: { credits: 3 } });
  world.web[url] = page('x');
  for (const path of [SCRAPE, JOBS]) {
    const { status, json } = await service.post(path, poor.key, { url, render_js: true });
    const now = world.now();
    const resets_at = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString();
    expect(status).toBe(402);
    expect(json).toMatchObject({ credits_required: 5, credits_remaining: 3, resets_at });
    expect(json.message).toBe(`This scrape may cost 5 credits, and 3 are left until ${resets_at}.`);
  }
});

test.each([
  ['scrapes and submits', () => service.post(SCRAPE, key, {})],
  ['status and result calls', () => service.ask(NOBODYS, { key })],
])('a limit of %s says the limit and the seconds', async (what, ask) => {
  await asNewOrganization({ overrides: { rpm: 2, readsPerMinute: 2 } });
  await ask();
  await ask();
  const { status, json, headers } = await ask();
  expect([status, headers['Retry-After'], json.retry_after, json.limit]).toEqual([429, '30', 30, 2]);
  expect(json.message).toBe(`The limit is 2 ${what} a minute. Try again in 30 seconds.`);
});

test('a limit of scrapes in progress says the limit and the seconds', async () => {
  await asNewOrganization({ overrides: { concurrency: 1 } });
  const { promise, resolve } = Promise.withResolvers<undefined>();
  world.web[url] = () => promise.then(() => page('x'));
  const first = service.post(SCRAPE, key, { url });
  const { status, json } = await service.post(SCRAPE, key, { url });
  resolve(undefined);
  await first;
  expect([status, json.code, json.limit]).toEqual([429, 'too_many_concurrent', 1]);
  expect(json.message).toBe(
    `The limit is 1 scrapes in progress. Try again in ${json.retry_after as number} seconds.`,
  );
});

test.each([
  ['POST', () => service.post(SCRAPE, key, { url }, { 'Idempotency-Key': 'a' })],
  ['GET', () => service.ask(simple, { key, headers: { 'idempotency-key': 'a' } })],
])('an Idempotency-Key on a sync %s is refused before any work', async (_, ask) => {
  const { status, json, headers } = await ask();
  expect([status, json.code, json.param]).toEqual([400, 'invalid_request', 'Idempotency-Key']);
  expect(headers['X-Credits-Remaining']).toBe('1000');
});

test.each(['/healthz', '/llms.txt', '/docs', '/docs/docs.css', NOBODYS])(
  'an unknown query parameter of %s is refused',
  async (path) => {
    const { status, json } = await service.ask(`${path}?x=1`, { key });
    expect([status, json.code, json.param]).toEqual([400, 'invalid_request', 'x']);
    expect(json.message).toBe("Unknown parameter 'x'. This path takes none.");
  },
);

test.each([
  ['GET', '/', 302, '/prod/docs'],
  ['GET', '/docs/', 301, '/prod/docs'],
  ['GET', '//docs', 301, '/prod/docs'],
  ['GET', '//healthz', 301, '/prod/healthz'],
  ['GET', `/${SCRAPE}?url=a%26b&url=c`, 301, `/prod${SCRAPE}?url=a%26b&url=c`],
  ['POST', `/${SCRAPE}`, 308, `/prod${SCRAPE}`],
  ['POST', `${JOBS}/`, 308, `/prod${JOBS}`],
  ['GET', `/${NOBODYS}/result`, 301, `/prod${NOBODYS}/result`],
])('a slash too many: %s %s leads on', async (method, path, status, location) => {
  const answer = await service.ask(path, { method, mount: '/prod' });
  expect([answer.status, answer.headers.Location]).toEqual([status, location]);
});

test.each(['//example.com', '/api//', '/docs//a/b'])('a slash too many: %s leads nowhere', async (path) => {
  expect((await service.ask(path)).status).toBe(404);
});
