import { expect, test } from 'vitest';
import { DASHBOARD_ORIGIN, newService } from '../support/world/api.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const url = 'https://example.com/';
const strangers = [
  'https://evil.example',
  'http://account.example.com',
  'https://account.example.com:8443',
  'https://account.example.com.evil.example',
  'https://sub.account.example.com',
  'null',
];

const asked = (origin: string) => ({
  Origin: origin,
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization,content-type',
});
const accessOf = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('Access-Control-')));

test("a page of the dashboard's origin may scrape with a key, and never with cookies", async () => {
  const { service } = await newService();
  const { status, headers, text } = await service.ask(SCRAPE, {
    method: 'OPTIONS',
    headers: asked(DASHBOARD_ORIGIN),
  });
  expect([status, text]).toEqual([204, '']);
  expect(accessOf(headers)).toMatchObject({
    'Access-Control-Allow-Origin': DASHBOARD_ORIGIN,
    'Access-Control-Allow-Methods': 'POST, GET',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type',
    'Access-Control-Max-Age': '600',
  });
  expect(headers).not.toHaveProperty('Access-Control-Allow-Credentials');
});

test("a page of the dashboard's origin reads the page, the error, and every header of both", async () => {
  const { world, service, key } = await newService();
  world.web[url] = page('<h1>Hello</h1>');
  const scrape = (body: object, by = key) =>
    service.post(SCRAPE, by, body, { Origin: DASHBOARD_ORIGIN, 'Accept-Encoding': 'gzip' });
  const answers = [await scrape({ url }), await scrape({ url: 'ftp://x' }), await scrape({ url }, 'sf_none')];
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 401]);
  for (const { headers } of answers) {
    expect(headers['Access-Control-Allow-Origin']).toBe(DASHBOARD_ORIGIN);
    expect(headers).not.toHaveProperty('Access-Control-Allow-Credentials');
    const exposed = headers['Access-Control-Expose-Headers']?.split(', ');
    expect(exposed).toEqual(expect.arrayContaining(['X-Credits-Used', 'X-Credits-Reason', 'X-Request-Id']));
    const sent = Object.keys(headers).filter((name) => !/^Access-Control-/.test(name));
    expect(exposed).toEqual(expect.arrayContaining(sent));
  }
});

test.each(strangers)('a page of any other origin: %s is refused before it sends a key', async (origin) => {
  const { service } = await newService();
  const { status, headers } = await service.ask(SCRAPE, { method: 'OPTIONS', headers: asked(origin) });
  expect([status, accessOf(headers)]).toEqual([405, {}]);
});

test.each(strangers)('a page of any other origin: %s cannot read what it sent for', async (origin) => {
  const { world, service, key } = await newService();
  world.web[url] = page('<h1>Hello</h1>');
  const { status, headers } = await service.post(SCRAPE, key, { url }, { Origin: origin });
  expect([status, accessOf(headers)]).toEqual([200, {}]);
  expect(headers['Cache-Control']).toBe('no-store');
});

test.each(['/api/v1/scraper/jobs', '/api/v1/account', '/healthz', '/nothing'])(
  "%s takes no calls from pages, not even the dashboard's",
  async (path) => {
    const { service, key } = await newService();
    const before = await service.ask(path, { method: 'OPTIONS', headers: asked(DASHBOARD_ORIGIN) });
    expect([before.status >= 400, accessOf(before.headers)]).toEqual([true, {}]);
    const { headers } = await service.ask(path, { key, headers: { Origin: DASHBOARD_ORIGIN } });
    expect(accessOf(headers)).toEqual({});
  },
);
