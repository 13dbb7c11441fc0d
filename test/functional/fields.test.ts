import { expect, test } from 'vitest';
import type { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import type { GetPage } from '../../shared/ports/scrape.ts';
import { serviceOver } from '../support/world/api.ts';
import { inMemoryWorld } from '../support/world/in-memory-world.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const JOBS = '/api/v1/scraper/jobs';
const url = 'https://example.com/';
/** Comparing each with each would take minutes. */
const MANY = Array.from({ length: 9_000 }, (_, n) => n);

/** A service, and all requests that it made to the web. */
async function serviceAsked() {
  const asked: ScrapeRequest[] = [];
  const getPage: GetPage = (request) => {
    asked.push(request);
    return Promise.resolve(page('x'));
  };
  const service = serviceOver({ ...inMemoryWorld(), fetchPage: getPage, renderPage: getPage });
  return { asked, ...service, key: (await service.organization()).key };
}

test('a country that is wrong in two ways is one fault', async () => {
  const { post, key } = await serviceAsked();
  const { json } = await post('/api/v1/scraper', key, { url, premium_proxy: true, country_code: 'Germany' });
  expect(json).toMatchObject({ param: 'country_code' });
  expect(json).not.toHaveProperty('errors');
});

test.each([
  ['timeout', { timeout: 120_001 }, 'expected a whole number from 1000 to 120000'],
  ['timeout', { timeout: '9000' }, 'expected a whole number from 1000 to 120000'],
  ['timeout', { timeout: 1_000.5 }, 'expected a whole number from 1000 to 120000'],
  ['render_js', { render_js: null }, 'expected true or false'],
  [
    'document.max_pages',
    { format: 'text', document: { max_pages: 0 } },
    'expected a whole number from 1 to 2000',
  ],
  ['document.max_pages', { format: 'text', document: { max_pages: 2_001 } }, 'whole number from 1 to 2000'],
  ['document.pages', { format: 'text', document: { pages: '5-3' } }, 'expected page numbers such as 1-20'],
  ['document.pages', { format: 'text', document: { pages: '0' } }, 'expected page numbers such as 1-20'],
  ['document', { document: {} }, 'only allowed with markdown, text, clean_html, links or metadata'],
  ['url', { url: '' }, 'must not be empty'],
  ['url', { url: `${url}${'x'.repeat(8_192)}` }, 'must not be longer than 8192 characters'],
  ['url', { url: `${url}?q=${'検'.repeat(1_000)}` }, 'percent-encoded, it has more than 8192 characters'],
  ['url', { url: 'example.com' }, 'expected an absolute URL, http or https, without user'],
  ['headers', { headers: 'a: b' }, 'expected an object of strings'],
  ['headers', { headers: { 'X-A': 1 } }, "'headers.X-A': expected a string"],
  ['headers', { headers: { Cookie: 'a=1; b' } }, "'headers.Cookie': cookie 2 is not name=value"],
  ['headers', { headers: { Host: 'a' } }, 'this header cannot be set'],
  ['headers', { headers: { 'content-length': '1' } }, 'this header cannot be set'],
  ['headers', { headers: { 'Transfer-Encoding': 'chunked' } }, 'this header cannot be set'],
  ['headers', { headers: { 'Proxy-Authorization': 'x' } }, 'this header cannot be set'],
  ['headers', { headers: { 'Set-Cookie': 'a=1' } }, 'this header cannot be set'],
  ['headers', { headers: { 'X A': 'x' } }, 'not a header name'],
  ['headers', { headers: { 'X-A': 'x\r\nHost: y' } }, 'not a header value'],
  ['headers', { headers: { 'X-A': 'é' } }, 'not a header value'],
  ['headers', { headers: { 'X-A': '1', 'x-a': '2' } }, 'given more than once'],
  ['headers', { headers: { 'X-A': 'x'.repeat(16_384) } }, 'longer than 16384 characters in all'],
  [
    'headers',
    { headers: Object.fromEntries(MANY.map((n) => [`x${n}`, ''])) },
    'longer than 16384 characters in all',
  ],
  ['cookies', { cookies: ['a'] }, 'expected an object of strings, or text such as a=1; b=2'],
  ['cookies', { cookies: { a: '1; b=2' } }, 'not a cookie value'],
  ['cookies', { cookies: { a: '1', b: 2 } }, "'cookies.b': expected a string"],
  ['cookies', { cookies: { 'a b': '1' } }, "'cookies.a b': not a cookie name"],
  ['cookies', { cookies: '=1' }, "'cookies': cookie 1 is not name=value"],
  ['cookies', { cookies: 'abc' }, "'cookies': cookie 1 is not name=value"],
  ['cookies', { cookies: 'a=1; __proto__=2' }, "'cookies': cookie 2 is not name=value"],
  [
    'country_code',
    { premium_proxy: true, country_code: 'XX' },
    'expected an ISO 3166 country code of two letters',
  ],
  ['country_code', { premium_proxy: true, country_code: 'DEU' }, 'expected an ISO 3166 country code of two'],
  ['country_code', { country_code: 'DE' }, 'only allowed with premium_proxy'],
  [
    'session_id',
    { premium_proxy: true, session_id: 'a b' },
    'expected 1 to 64 letters of the alphabet, digits, - and _',
  ],
  ['session_id', { session_id: 'a' }, 'only allowed with premium_proxy'],
  [
    'wait_until',
    { render_js: true, wait_until: 'idle' },
    'expected one of settled, domcontentloaded, load, networkidle',
  ],
  ['wait_until', { wait_until: 'load' }, 'only allowed with render_js'],
  ['wait_for', { render_js: true, wait_for: 'a[' }, 'expected a CSS selector'],
  ['wait_for', { render_js: true, wait_for: '' }, 'must not be empty'],
  ['wait_for', { wait_for: 'a' }, 'only allowed with render_js'],
  ['wait', { render_js: true, wait: 30_001 }, 'expected a whole number from 0 to 30000'],
  ['wait', { wait: 1 }, 'only allowed with render_js'],
  ['device', { render_js: true, device: 'tablet' }, 'expected one of desktop, mobile'],
  ['device', { device: 'mobile' }, 'only allowed with render_js'],
  ['block_resources', { render_js: true, block_resources: 0 }, 'expected true or false'],
  ['block_resources', { block_resources: false }, 'only allowed with render_js'],
  ['block_ads', { render_js: true, block_ads: 'yes' }, 'expected true or false'],
  ['block_ads', { block_ads: true }, 'only allowed with render_js'],
  ['scroll', { render_js: true, scroll: 1 }, 'expected true or false'],
  ['scroll', { scroll: true }, 'only allowed with render_js'],
  ['capture', { capture: [{ url: '*' }] }, 'only allowed with format=json'],
  ['capture', { capture: [{ url: '*' }], format: 'json', render_js: false }, 'only allowed with render_js'],
  ['capture', { capture: [], format: 'json' }, 'must not be empty'],
  [
    'capture[0].type',
    { capture: [{ url: '*', type: 'image' }], format: 'json' },
    'expected one of fetch, xhr',
  ],
  ['max_age', { max_age: 2_592_001 }, 'expected a whole number from 0 to 2592000'],
  ['max_age', { max_age: '60' }, 'expected a whole number from 0 to 2592000'],
  ['revalidate', { revalidate: 1 }, 'expected true or false'],
  ['method', { method: 'DELETE' }, 'expected one of GET, POST, PUT, PATCH'],
  ['method', { method: 'POST', render_js: true }, 'only allowed without render_js'],
  ['body', { body: 'a=1' }, 'only allowed with the method POST, PUT or PATCH'],
  ['body', { method: 'GET', body: 'a=1' }, 'only allowed with the method POST, PUT or PATCH'],
  ['body', { method: 'POST', body: { a: 1 } }, 'expected a string'],
  ['body', { method: 'POST', body: 'é'.repeat(131_073) }, 'must not be longer than 262144 bytes in UTF-8'],
])('an invalid %s is refused by both endpoints, free of charge', async (param, fields, problem) => {
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
  ['wait=5s', 'wait', "Invalid value for 'wait': expected a whole number from 0 to 30000."],
  ['device=tablet', 'device', "Invalid value for 'device': expected one of desktop, mobile."],
  ['block_ads=maybe', 'block_ads', "Invalid value for 'block_ads': expected true, false, 1 or 0."],
  ['cookies==1', 'cookies', "Invalid value for 'cookies': cookie 1 is not name=value."],
  ['headers=%7B%7D', 'headers', "Field 'headers' is only accepted in the JSON body of a POST."],
  ['method=POST', 'method', "Field 'method' is only accepted in the JSON body of a POST."],
  ['body=a', 'body', "Field 'body' is only accepted in the JSON body of a POST."],
  ['x=1', 'x', "Unknown field 'x'. If it belongs to the target, percent-encode the url."],
])('the query string %s is refused', async (query, param, message) => {
  const { ask, key } = await serviceAsked();
  const answer = await ask(`${SCRAPE}?url=${url}&render_js=1&${query}`, { key });
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({ code: 'invalid_request', param, message });
});

test.each([
  [{ rendr_js: true }, " Did you mean 'render_js'?"],
  [{ URL: url }, " Did you mean 'url'?"],
  [{ foo: 1 }, ''],
  [{ x: 1 }, ''],
  [{ timeout: 'x', cookie: 'a=1' }, " Did you mean 'cookies'?"],
])('the error for %j names the unknown field first', async (fields, hint) => {
  const { post, key } = await serviceAsked();
  const name = Object.keys(fields).at(-1);
  const { json } = await post(SCRAPE, key, fields);
  expect(json).toMatchObject({ code: 'invalid_request', param: name });
  expect(json.message).toBe(`Unknown field '${name}'.${hint}`);
});

/** Values of every type of JSON, for fields that other fields are judged with. */
const OF_ANY_TYPE = [null, '', 'x', 0, -1.5, 1e308, true, [], [null], {}, { a: null }];

test.each(['screenshot', 'pdf', 'formats', 'js_scenario', 'capture', 'extract_rules', 'method', 'render_js'])(
  'a wrong %s of any type is a fault of the request, alone and in a batch, never one of the service',
  async (name) => {
    const { post, organization, asked } = await serviceAsked();
    const { key } = await organization({ overrides: { rpm: 10_000 } });
    const batch = { max_credits: 0, requests: [{ url }] };
    for (const value of OF_ANY_TYPE)
      for (const around of [{}, { format: 'json', formats: ['screenshot', 'pdf'] }, { format: 'pdf' }]) {
        const fields = { ...around, [name]: value };
        const request = { url, max_credits: 0, ...fields };
        for (const [path, body] of [
          [SCRAPE, request],
          [JOBS, request],
          ['/api/v1/scraper/batches', { ...batch, requests: [request] }],
          ['/api/v1/scraper/batches', { ...batch, defaults: fields }],
        ] as const) {
          const { status, headers } = await post(path, key, body);
          expect([path, fields, [400, 402].includes(status), headers['X-Credits-Used']]).toEqual([
            path,
            fields,
            true,
            '0',
          ]);
        }
      }
    expect(asked).toEqual([]);
  },
);

test.each([SCRAPE, JOBS])('POST %s lists all faults of a request, the first as the message', async (path) => {
  const { post, key, asked } = await serviceAsked();
  const fields = {
    url: 'http://127.0.0.1/',
    timeout: 1,
    country_code: 'DE',
    device: 'tablet',
    rendr_js: true,
  };
  const { json, status } = await post(path, key, fields);
  const errors = json.errors as { param: string; message: string }[];
  expect([status, json.code, asked]).toEqual([400, 'invalid_request', []]);
  expect(errors.map(({ param }) => param)).toEqual([
    'rendr_js',
    'timeout',
    'device',
    'country_code',
    'device',
    'url',
  ]);
  expect(errors[0]).toEqual({ param: json.param, message: json.message });
});

test('a query string with several faults lists all of them', async () => {
  const { ask, key } = await serviceAsked();
  const { json } = await ask(`${SCRAPE}?url=${url}&url=${url}&headers=x&wait=5s`, { key });
  expect((json.errors as { param: string }[]).map(({ param }) => param)).toEqual([
    'url',
    'headers',
    'wait',
    'wait',
  ]);
});

test('a single fault has no list of errors', async () => {
  const { post, key } = await serviceAsked();
  expect((await post(SCRAPE, key, { url, timeout: 1 })).json).not.toHaveProperty('errors');
});

test.each([SCRAPE, JOBS])('POST %s refuses a field given twice in one object', async (path) => {
  const { post, key } = await serviceAsked();
  const ask = (body: string) => post(path, key, body);
  const twice = await ask(`{"url":"${url}","render_js":false, "render\\u005fjs" : true}`);
  expect(twice.status).toBe(400);
  expect(twice.json).toMatchObject({
    code: 'invalid_request',
    param: 'render_js',
    message: "Field 'render_js' is given more than once.",
  });
  const inside = await ask(`{"url":"${url}","headers":{"X-A":"1","X-A":"2"}}`);
  expect(inside.json).toMatchObject({
    param: 'headers',
    message: "Field 'headers.X-A' is given more than once.",
  });
  const once = await ask(`{"url":"${url}","headers":{"url":"\\"url\\":","timeout":"{"},"timeout":9000}`);
  expect(once.status).toBeLessThan(300);
});

test.each([SCRAPE, JOBS])('POST %s refuses fields in its query string', async (path) => {
  const { post, key, asked } = await serviceAsked();
  const { status, json } = await post(`${path}?render_js=true`, key, { url });
  expect([status, json.param, asked]).toEqual([400, 'render_js', []]);
  expect(json.message).toBe("Unknown parameter 'render_js'. The fields of a POST go in its body.");
});

test.each([
  ['invalid UTF-8', `{"url":"${url}\uFFFD"}`, {}, 400, 'The request body is not valid UTF-8.'],
  ['UTF-16', `{"url":"${url}"}`, { 'Content-Type': 'application/json; charset=UTF-16' }, 415, 'in UTF-8.'],
  ['gzip', `{"url":"${url}"}`, { 'Content-Encoding': 'gzip' }, 415, 'without a Content-Encoding.'],
  ['the name __proto__', `{"url":"${url}","headers":{"__proto__":"x"}}`, {}, 400, "named '__proto__'."],
])('a body with %s is refused, free of charge', async (_, body, headers, status, problem) => {
  const { post, key, asked } = await serviceAsked();
  const answer = await post(SCRAPE, key, body, headers);
  expect([answer.status, answer.headers['X-Credits-Remaining'], asked]).toEqual([status, '1000', []]);
  expect(answer.json.message).toContain(problem);
});

test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
  'a body of type %s is accepted',
  async (type) => {
    const { post, key } = await serviceAsked();
    const headers = { 'Content-Type': type, 'Content-Encoding': 'identity' };
    expect((await post(SCRAPE, key, { url, cookies: 'a=; b=1=2 ;' }, headers)).status).toBe(200);
  },
);

test.each([
  ['ftp://example.com/', 'scheme', 'its scheme is neither http nor https'],
  ['https://me@example.com/', 'userinfo', 'it contains a user name or password'],
  ['http://server/', 'host', 'its host is not a public host name'],
  ['http://example.com:22/', 'port', 'its port is not one of 80, 443, 8080, 8443'],
  ['http://0x7f.1/', 'private', 'its host is, or resolves to, an address that is not public'],
  ['http://127.0.0.1:22/', 'private', 'its host is, or resolves to, an address that is not public'],
  ['http://printer.local/', 'private', 'its host is, or resolves to, an address that is not public'],
  ['https://API.example.net./v1', 'own', 'it is an address of this service'],
])('%s is refused for its %s', async (target, reason, problem) => {
  const service = serviceOver(inMemoryWorld(), { allow: [], refuse: ['api.example.net'] });
  const { key } = await service.organization();
  for (const path of [SCRAPE, JOBS]) {
    const { status, json } = await service.post(path, key, { url: target });
    expect([status, json.code, json.param, json.reason]).toEqual([400, 'url_not_allowed', 'url', reason]);
    expect(json.message).toBe(`"${target}" may not be scraped: ${problem}.`);
  }
});

test('a password in a URL is not repeated, and a long URL not whole', async () => {
  const { post, key } = await serviceAsked();
  const secret = await post(SCRAPE, key, { url: 'https://me:secret@example.com/' });
  expect(secret.json.message).toContain('"https://me:***@example.com/"');
  const long = await post(SCRAPE, key, { url: `http://127.0.0.1/${'x'.repeat(4_000)}` });
  expect(String(long.json.message).length).toBeLessThan(400);
});

test('the ports that a refusal names can be scraped', async () => {
  const { post, key } = await serviceAsked();
  const { json } = await post(SCRAPE, key, { url: 'http://example.com:1/' });
  const ports = String(json.message).split('one of')[1]?.match(/\d+/g) ?? [];
  expect(ports).toHaveLength(4);
  for (const port of ports)
    expect((await post(SCRAPE, key, { url: `http://example.com:${port}/` })).status).toBe(200);
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
  scroll: true,
};

test('every field reaches the renderer unchanged by POST, by GET and as a job', async () => {
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
      scroll: true,
    });
  }
});

test('a Cookie header is merged into cookies, which take precedence', async () => {
  const { asked, post, key } = await serviceAsked();
  await post(SCRAPE, key, { url, headers: { COOKIE: 'a=1; b=2', 'X-A': 'x' }, cookies: { b: '3' } });
  expect(asked[0]).toMatchObject({ headers: { 'X-A': 'x' }, cookies: { a: '1', b: '3' } });
});

test('a body of 256 KiB is taken however it is written, beside 256 KiB of other fields at most', async () => {
  const { asked, post, key } = await serviceAsked();
  const body = '\u0001'.repeat(262_144);
  const request = { url, method: 'PUT', body, headers: { 'Content-Type': 'application/octet-stream' } };
  for (const path of [SCRAPE, JOBS]) expect((await post(path, key, request)).status).toBeLessThan(300);
  expect(asked).toMatchObject([{ method: 'PUT', body }]);
  const large = await post(SCRAPE, key, { ...request, cookies: 'x'.repeat(262_144) });
  expect([large.status, large.json.code]).toEqual([413, 'request_too_large']);
});

test("a cookie may have any name that browsers take, such as PHP's", async () => {
  const { asked, post, key } = await serviceAsked();
  await post(SCRAPE, key, { url, cookies: { 'a[b]': '1', 'c:d': '2' } });
  await post(SCRAPE, key, { url, cookies: 'a[b]=1; c:d=2' });
  const cookies = { 'a[b]': '1', 'c:d': '2' };
  expect(asked).toMatchObject([{ cookies }, { cookies }]);
});

test('a request that no job could keep is refused as a job, and taken at once', async () => {
  const { post, key } = await serviceAsked();
  const body = 'x'.repeat(200_000);
  const rules = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`r${n}`, 'a'.repeat(990)]));
  const request = { url, method: 'POST', body, format: 'extract', extract_rules: rules };
  const [sync, job] = await Promise.all([post(SCRAPE, key, request), post(JOBS, key, request)]);
  expect([sync.status, job.status, job.json.code]).toEqual([200, 413, 'request_too_large']);
});

test('what a page fetched is in its envelope, at once and as a job', async () => {
  const captured = [{ url, method: 'GET', type: 'fetch' as const, status: 200, headers: {}, body: 'b' }];
  const getPage: GetPage = () => Promise.resolve(page('<p>x</p>', { captured }));
  const { post, ask, work, organization } = serviceOver({ ...inMemoryWorld(), renderPage: getPage });
  const { key } = await organization();
  const request = { url, format: 'json', capture: [{ url: '*' }] };
  const { json, headers } = await post(SCRAPE, key, request);
  expect([json['capture'], headers['X-Credits-Used']]).toEqual([captured, '5']);
  const job = await post(JOBS, key, request);
  await work();
  const result = await ask(`${JOBS}/${String(job.json['job_id'])}/result`, { key });
  expect(result.json).toEqual(json);
});
