import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { API_URL } from '../support/world/in-memory-world.ts';
import { createApiKey } from '../../shared/domain/accounts/api-key.ts';
import { AppError } from '../../shared/errors.ts';
import { key, newServiceEachTest, service, world } from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const URL = 'https://example.com/';

newServiceEachTest();

test('a scrape returns the page and its cost', async () => {
  world.web[URL] = page('<h1>Hello</h1>', { status: 404, url: `${URL}there`, redirects: 2 });

  const answer = await service.post(SCRAPE, key, { url: URL });

  expect(answer.status).toBe(200);
  expect(answer.text).toBe('<h1>Hello</h1>');
  expect(answer.headers).toMatchObject({
    'Content-Type': 'text/html',
    'Content-Security-Policy': 'sandbox',
    'X-Target-Status': '404',
    'X-Target-Url': `${URL}there`,
    'X-Target-Redirects': '2',
    'X-Credits-Used': '1',
    'X-Credits-Remaining': '999',
    'X-RateLimit-Limit': '60',
    'X-RateLimit-Remaining': '59',
    'X-RateLimit-Reset': String(world.now().getTime() / 1_000 + 1),
    'RateLimit-Policy': '"scrape";q=60;w=60',
    RateLimit: '"scrape";r=59;t=1',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  expect(answer.headers['X-Request-Id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
});

test.each([
  ['plain', {}, '1'],
  ['rendered', { render_js: true }, '5'],
])('a scrape costs the price of a %s scrape', async (_, fields, used) => {
  world.web[URL] = page('x');
  expect((await service.post(SCRAPE, key, { url: URL, ...fields })).headers['X-Credits-Used']).toBe(used);
});

test.each([
  [200, '1'],
  [301, '1'],
  [404, '1'],
  [410, '1'],
  [403, '0'],
  [429, '0'],
  [500, '0'],
])('a scrape with a target status of %i costs %s credits', async (status, used) => {
  world.web[URL] = page('x', { status });
  expect((await service.post(SCRAPE, key, { url: URL })).headers['X-Credits-Used']).toBe(used);
});

test('a scrape by GET takes the same fields in the query string', async () => {
  world.web[URL] = page('x');
  const answer = await service.ask(`${SCRAPE}?url=${encodeURIComponent(URL)}&render_js=TRUE&timeout=5000`, {
    key,
  });
  expect(answer.status).toBe(200);
  expect(answer.headers['X-Credits-Used']).toBe('5');
});

test('a scrape that fails refunds its credits and reveals no internals', async () => {
  world.web[URL] = new AppError('internal', { message: 'table sitefetch-accounts is gone' });
  const answer = await service.post(SCRAPE, key, { url: URL });
  expect(answer.status).toBe(500);
  expect(answer.text).not.toContain('sitefetch-accounts');
  expect(answer.headers).toMatchObject({ 'X-Credits-Used': '0', 'X-Credits-Remaining': '1000' });
});

test('a scrape of a target without a Content-Type is application/octet-stream', async () => {
  world.web[URL] = page('x', { contentType: undefined });
  expect((await service.post(SCRAPE, key, { url: URL })).headers['Content-Type']).toBe(
    'application/octet-stream',
  );
});

test.each([
  ['no body', '', {}, 400, 'invalid_request', undefined],
  ['invalid JSON', '{', {}, 400, 'invalid_request', undefined],
  ['a list', '[]', {}, 400, 'invalid_request', undefined],
  ['no url', '{}', {}, 400, 'invalid_request', 'url'],
  ['a number as url', '{"url":1}', {}, 400, 'invalid_request', 'url'],
  ['a relative url', '{"url":"example.com"}', {}, 400, 'invalid_request', 'url'],
  ['a file', '{"url":"file:///etc/passwd"}', {}, 400, 'url_not_allowed', 'url'],
  ['credentials', '{"url":"https://a:b@example.com/"}', {}, 400, 'url_not_allowed', 'url'],
  ['loopback', '{"url":"http://127.0.0.1/"}', {}, 400, 'url_not_allowed', 'url'],
  ['loopback in hex', '{"url":"http://0x7f.1/"}', {}, 400, 'url_not_allowed', 'url'],
  ['IPv6 loopback', '{"url":"http://[::1]/"}', {}, 400, 'url_not_allowed', 'url'],
  ['link-local', '{"url":"http://169.254.169.254/"}', {}, 400, 'url_not_allowed', 'url'],
  ['localhost', '{"url":"http://localhost/"}', {}, 400, 'url_not_allowed', 'url'],
  ['an odd port', '{"url":"http://example.com:22/"}', {}, 400, 'url_not_allowed', 'url'],
  [
    'text as flag',
    '{"url":"https://example.com/","render_js":"true"}',
    {},
    400,
    'invalid_request',
    'render_js',
  ],
  ['a short timeout', '{"url":"https://example.com/","timeout":999}', {}, 400, 'invalid_request', 'timeout'],
  [
    'a misspelt field',
    '{"url":"https://example.com/","rendr_js":true}',
    {},
    400,
    'invalid_request',
    'rendr_js',
  ],
  ['form data', 'url=x', { 'Content-Type': 'text/plain' }, 415, 'unsupported_media_type', undefined],
  ['a huge body', `{"url":"${'x'.repeat(262_144)}"}`, {}, 413, 'request_too_large', undefined],
])('%s is refused and counts towards the rate limit only', async (_, body, headers, status, code, param) => {
  const answer = await service.post(SCRAPE, key, body, headers);
  expect(answer.status).toBe(status);
  expect(answer.json).toMatchObject({ code, request_id: answer.headers['X-Request-Id'] });
  expect(answer.json.param).toBe(param);
  expect(answer.headers).toMatchObject({
    'X-Credits-Used': '0',
    'X-Credits-Remaining': '1000',
    'X-RateLimit-Remaining': '59',
  });
});

test('invalid input with a misspelt field gets a suggestion', async () => {
  const answer = await service.post(SCRAPE, key, { url: URL, rendr_js: true });
  expect(answer.json.message).toBe("Unknown field 'rendr_js'. Did you mean 'render_js'?");
});

test.each([
  ['given twice', 'url=https://example.com/&url=https://example.org/', 'url'],
  ['not a flag', 'url=https://example.com/&render_js=yes', 'render_js'],
  ['not a number', 'url=https://example.com/&timeout=5s', 'timeout'],
])('the query string is refused if a field is %s', async (_, query, param) => {
  const answer = await service.ask(`${SCRAPE}?${query}`, { key });
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({ code: 'invalid_request', param });
});

test('premium_proxy without a configured upstream is 503', async () => {
  const answer = await service.post(SCRAPE, key, { url: URL, premium_proxy: true });
  expect(answer.status).toBe(503);
  expect(answer.json).toMatchObject({ error: 'Service Unavailable', code: 'premium_proxy_unavailable' });
});

test('an unsupported method is 405 with an Allow header', async () => {
  const answer = await service.ask(SCRAPE, { method: 'DELETE', key });
  expect(answer.status).toBe(405);
  expect(answer.headers.Allow).toBe('POST, GET');
});

test.each([
  ['missing', undefined, 'No API key was sent. Send one as "Authorization: Bearer sf_...".'],
  ['malformed', 'sf_nonsense', 'This API key is unknown, revoked or expired.'],
  [
    'with a wrong checksum',
    `sf_test_${'a'.repeat(12)}_${'b'.repeat(32)}000000`,
    'This API key is unknown, revoked or expired.',
  ],
  [
    'of another service',
    createApiKey('test', randomBytes).text,
    'This API key is unknown, revoked or expired.',
  ],
])('a key that is %s is refused', async (_, wrong, message) => {
  const answer = await service.post(SCRAPE, wrong, { url: URL });
  expect(answer.status).toBe(401);
  expect(answer.json).toEqual({
    error: 'Unauthorized',
    code: 'unauthorized',
    message,
    request_id: answer.headers['X-Request-Id'],
    doc_url: `${API_URL}/docs/errors/unauthorized`,
    retryable: false,
  });
  expect(answer.headers).toMatchObject({ 'WWW-Authenticate': 'Bearer', 'X-Credits-Used': '0' });
  expect(answer.headers['X-Credits-Remaining']).toBeUndefined();
});

test('a key in the query string is ignored', async () => {
  expect((await service.ask(`${SCRAPE}?url=${URL}&api_key=${key}`)).status).toBe(401);
});
