import { expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { key, newServiceEachTest, service, world } from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const JOBS = '/api/v1/scraper/jobs';
const url = 'https://example.com/';

newServiceEachTest({ policy: { allow: [], refuse: ['api.example.com'], hasPremiumProxy: true } });

test.each([
  [{ premium_proxy: true }, '10'],
  [{ premium_proxy: true, render_js: true }, '25'],
  [{ premium_proxy: true, country_code: 'de', session_id: 'Basket_1' }, '10'],
])('%o costs %s credits', async (fields, credits) => {
  world.web[url] = page('x');
  const answer = await service.post(SCRAPE, key, { url, ...fields });
  expect([answer.status, answer.headers['X-Credits-Used']]).toEqual([200, credits]);
});

test('a failure of the premium proxy is free of charge', async () => {
  world.web[url] = new AppError('proxy_failed');
  const answer = await service.post(SCRAPE, key, { url, premium_proxy: true });
  expect([answer.status, answer.json.code]).toEqual([502, 'proxy_failed']);
  expect(answer.headers).toMatchObject({ 'X-Credits-Used': '0', 'X-Credits-Remaining': '1000' });
});

test.each([
  ['country_code', { country_code: 'DE' }],
  ['session_id', { session_id: 's' }],
  ['country_code', { country_code: 'DE', premium_proxy: false }],
  ['country_code', { country_code: 'Germany', premium_proxy: true }],
  ['country_code', { country_code: 'XX', premium_proxy: true }],
  ['country_code', { country_code: 'D}', premium_proxy: true }],
  ['session_id', { session_id: '', premium_proxy: true }],
  ['session_id', { session_id: 'a b', premium_proxy: true }],
  ['session_id', { session_id: 'x'.repeat(65), premium_proxy: true }],
  ['session_id', { session_id: 7, premium_proxy: true }],
])('the error for an invalid %s names it: %o', async (param, fields) => {
  for (const path of [SCRAPE, JOBS]) {
    const answer = await service.post(path, key, { url, ...fields });
    expect([answer.status, answer.json.param]).toEqual([400, param]);
  }
});

test('country_code and session_id are accepted in the query string', async () => {
  world.web[url] = page('x');
  const fields = `premium_proxy=1&country_code=us&session_id=a`;
  expect((await service.ask(`${SCRAPE}?url=${url}&${fields}`, { key })).status).toBe(200);
  expect((await service.ask(`${SCRAPE}?url=${url}&country_code=us`, { key })).json.param).toBe(
    'country_code',
  );
});

test.each(['https://api.example.com/api/v1/scraper', 'http://API.example.com.:8080/'])(
  'the URL %s of the service itself is refused',
  async (own) => {
    for (const path of [SCRAPE, JOBS])
      expect((await service.post(path, key, { url: own })).json.code).toBe('url_not_allowed');
  },
);
