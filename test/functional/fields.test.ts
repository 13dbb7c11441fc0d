import { expect, test } from 'vitest';
import type { ScrapeRequest } from '../../shared/contract/scrape-request.ts';
import type { GetPage } from '../../shared/ports.ts';
import { serviceOver } from '../support/api.ts';
import { inMemoryWorld } from '../support/in-memory-world.ts';
import { page } from '../support/pages.ts';

const SCRAPE = '/api/v1/scraper';
const JOBS = '/api/v1/scraper/jobs';
const url = 'https://example.com/';

/** A service, and all that it was asked to get from the web. */
async function serviceAsked() {
  const asked: ScrapeRequest[] = [];
  const getPage: GetPage = (request) => {
    asked.push(request);
    return Promise.resolve(page('x'));
  };
  const service = serviceOver({ ...inMemoryWorld(), fetchPage: getPage, renderPage: getPage });
  return { asked, ...service, key: (await service.organization()).key };
}

test.each([
  ['timeout', { timeout: 120_001 }, 'Too big: expected number to be <=120000'],
  ['timeout', { timeout: '9000' }, 'expected number, received string'],
  ['headers', { headers: 'a: b' }, 'expected record, received string'],
  ['headers', { headers: { 'X-A': 1 } }, 'expected string, received number'],
  ['headers', { headers: { Host: 'a' } }, 'this header cannot be set'],
  ['headers', { headers: { 'content-length': '1' } }, 'this header cannot be set'],
  ['headers', { headers: { 'Transfer-Encoding': 'chunked' } }, 'this header cannot be set'],
  ['headers', { headers: { 'Proxy-Authorization': 'x' } }, 'this header cannot be set'],
  ['headers', { headers: { 'X A': 'x' } }, 'not a header name'],
  ['headers', { headers: { 'X-A': 'x\r\nHost: y' } }, 'not a header value'],
  ['headers', { headers: { 'X-A': 'é' } }, 'not a header value'],
  ['headers', { headers: { 'X-A': '1', 'x-a': '2' } }, 'given more than once'],
  ['headers', { headers: { 'X-A': 'x'.repeat(16_384) } }, 'longer than 16384 characters in all'],
  ['cookies', { cookies: ['a'] }, 'expected an object of strings, or text such as a=1; b=2'],
  ['cookies', { cookies: { a: '1; b=2' } }, 'not a cookie value'],
  ['cookies', { cookies: '=1' }, 'not a cookie name'],
  ['country_code', { premium_proxy: true, country_code: 'XX' }, 'expected an ISO 3166 country code'],
  ['country_code', { country_code: 'DE' }, 'only taken with premium_proxy'],
  ['session_id', { premium_proxy: true, session_id: 'a b' }, 'must match pattern'],
  ['session_id', { session_id: 'a' }, 'only taken with premium_proxy'],
  ['wait_until', { render_js: true, wait_until: 'idle' }, 'expected one of "settled"|"domcontentloaded"'],
  ['wait_until', { wait_until: 'load' }, 'only taken with render_js'],
  ['wait_for', { render_js: true, wait_for: 'a[' }, 'expected a CSS selector'],
  ['wait_for', { wait_for: 'a' }, 'only taken with render_js'],
  ['wait', { render_js: true, wait: 30_001 }, 'Too big: expected number to be <=30000'],
  ['wait', { wait: 1 }, 'only taken with render_js'],
  ['device', { render_js: true, device: 'tablet' }, 'expected one of "desktop"|"mobile"'],
  ['device', { device: 'mobile' }, 'only taken with render_js'],
  ['block_resources', { render_js: true, block_resources: 0 }, 'expected boolean, received number'],
  ['block_resources', { block_resources: false }, 'only taken with render_js'],
  ['block_ads', { render_js: true, block_ads: 'yes' }, 'expected boolean, received string'],
  ['block_ads', { block_ads: true }, 'only taken with render_js'],
])('a wrong %s is refused, at once and as a job, and costs nothing', async (param, fields, problem) => {
  const { post, key } = await serviceAsked();
  for (const path of [SCRAPE, JOBS]) {
    const answer = await post(path, key, { url, ...fields });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ code: 'invalid_request', param });
    expect(answer.json.message).toContain(`Invalid value for '${param}`);
    expect(answer.json.message).toContain(problem);
    expect(answer.headers).toMatchObject({ 'X-Credits-Used': '0', 'X-Credits-Remaining': '1000' });
  }
});

test.each([
  ['wait=5s', 'wait'],
  ['device=tablet', 'device'],
  ['block_ads=maybe', 'block_ads'],
  ['cookies==1', 'cookies'],
  ['headers=%7B%7D', 'headers'],
])('in a query string %s is refused', async (query, param) => {
  const { ask, key } = await serviceAsked();
  const answer = await ask(`${SCRAPE}?url=${url}&render_js=1&${query}`, { key });
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({ code: 'invalid_request', param });
});

const OPTIONS = {
  render_js: true,
  timeout: 5_000,
  cookies: { a: '1', b: '2=3' },
  wait_until: 'networkidle',
  wait_for: 'main > p:not(.loading)',
  wait: 10,
  device: 'mobile',
  block_resources: false,
  block_ads: true,
};

test('every field reaches the renderer alike by POST, by GET and as a job', async () => {
  const { asked, post, ask, work, key } = await serviceAsked();
  const query = new URLSearchParams({ ...OPTIONS, url, cookies: 'a=1; b=2=3' } as never);
  expect((await post(SCRAPE, key, { url, ...OPTIONS })).status).toBe(200);
  expect((await ask(`${SCRAPE}?${query.toString()}`, { key })).status).toBe(200);
  expect((await post(JOBS, key, { url, ...OPTIONS })).status).toBe(202);
  await work();
  expect(asked).toHaveLength(3);
  for (const request of asked) {
    expect(request).toEqual({
      url,
      renderJs: true,
      premiumProxy: false,
      timeout: 5_000,
      cookies: { a: '1', b: '2=3' },
      waitUntil: 'networkidle',
      waitFor: 'main > p:not(.loading)',
      wait: 10,
      device: 'mobile',
      blockResources: false,
      blockAds: true,
    });
  }
});

test('a Cookie header goes where cookies go, and a cookie given by name wins', async () => {
  const { asked, post, key } = await serviceAsked();
  await post(SCRAPE, key, { url, headers: { COOKIE: 'a=1; b=2', 'X-A': 'x' }, cookies: { b: '3' } });
  expect(asked[0]).toMatchObject({ headers: { 'X-A': 'x' }, cookies: { a: '1', b: '3' } });
});
