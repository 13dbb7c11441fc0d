import iconv from 'iconv-lite';
import { beforeEach, expect, test } from 'vitest';
import type { Page } from '../../shared/contract/scrape/page.ts';
import { Part } from '../../shared/contract/scrape/part.ts';
import { key, newServiceEachTest, service, world } from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';
import { expectRefused, expectRefusedInQuery } from '../support/world/refusals.ts';

const SCRAPE = '/api/v1/scraper';
const JOBS = '/api/v1/scraper/jobs';
const URL = 'https://example.com/';
const HTML = '<title>T</title><h1>Hello</h1><p>Some <b>words</b> <a href="/a" rel="next">more</a></p>';
const rules = { heading: 'h1', price: '.price' };

newServiceEachTest();
beforeEach(() => {
  world.web[URL] = page(HTML);
});

const scrape = (fields: object) => service.post(SCRAPE, key, { url: URL, ...fields });

const JSON_TYPE = 'application/json; charset=utf-8';

/** Each format that is a body by itself, beside html and change, which have tests of their own. */
const SINGLE: Record<Exclude<Part, 'html' | 'change'>, [fields: object, type: string, text: string]> = {
  markdown: [{}, 'text/markdown; charset=utf-8', '# Hello\n\nSome **words** [more](https://example.com/a)\n'],
  text: [{}, 'text/plain; charset=utf-8', 'Hello\n\nSome words more\n'],
  links: [{}, JSON_TYPE, '[{"url":"https://example.com/a","text":"more","rel":"next"}]'],
  metadata: [{}, JSON_TYPE, '{"title":"T"}'],
  images: [{}, JSON_TYPE, '[]'],
  clean_html: [
    { include_selectors: ['p'] },
    'text/html; charset=utf-8',
    '<p>Some <b>words</b> <a href="https://example.com/a" rel="next">more</a></p>',
  ],
  extract: [{ extract_rules: rules }, JSON_TYPE, '{"heading":"Hello","price":null}'],
};

test.each(Object.entries(SINGLE))(
  'a single format: %s is the body, under its own type',
  async (format, [fields, type, text]) => {
    const answer = await scrape({ format, ...fields });
    expect([answer.status, answer.headers['Content-Type'], answer.text]).toEqual([200, type, text]);
    expect(answer.headers).toMatchObject({ 'X-Target-Status': '200', 'X-Credits-Used': '1' });
  },
);

test('a single format of text says which part of the page it is, and how much', async () => {
  const { headers } = await scrape({ format: 'markdown', scope: 'full' });
  expect(headers).toMatchObject({ 'X-Content-Scope': 'full', 'X-Content-Coverage': '1' });
  expect((await scrape({ format: 'links' })).headers).not.toHaveProperty('X-Content-Scope');
});

test('a single format is taken in a query string, with its scope', async () => {
  const { text } = await service.ask(`${SCRAPE}?url=${URL}&format=text&scope=main`, { key });
  expect(text).toBe('Hello\n\nSome words more\n');
});

test('a single format html is the page itself, byte for byte', async () => {
  const bytes = Buffer.from([0x3c, 0x70, 0x3e, 0xe9, 0x00, 0xff]);
  world.web[URL] = { ...page(''), contentType: 'text/html; charset=klingon', body: bytes };
  for (const fields of [{}, { format: 'html' }]) {
    const answer = await scrape(fields);
    expect(answer.bytes).toEqual(bytes);
    expect(answer.headers['Content-Type']).toBe('text/html; charset=klingon');
  }
});

test('a single format of a page without a charset is read as browsers read it, while html stays byte for byte', async () => {
  const words = 'Городская библиотека открыта каждый день, кроме понедельника';
  const bytes = iconv.encode(`<title>${words}</title><p><a href="/a">${words}</a></p>`, 'windows-1251');
  world.web[URL] = { ...page(''), contentType: 'text/html', body: bytes };
  const fields = { extract_rules: { link: 'a' } };
  for (const format of ['markdown', 'text', 'links', 'metadata', 'extract'])
    expect((await scrape({ format, ...(format === 'extract' && fields) })).text).toContain(words);
  const answer = await scrape({ format: 'html' });
  expect([answer.bytes, answer.headers['Content-Type']]).toEqual([bytes, 'text/html']);
});

test('a single format is the same of a rendered page', async () => {
  const answer = await scrape({ format: 'text', render_js: true });
  expect([answer.text, answer.headers['X-Credits-Used']]).toEqual(['Hello\n\nSome words more\n', '5']);
});

test('json holds several formats of one visit, and what the target answered', async () => {
  const past = 'Expires=Thu, 01-Jan-1970 00:00:01 GMT';
  const deleted = ['gone=; Max-Age=0', 'c=3', `c=deleted; ${past}; Max-Age=0; Path=/`, `d=4; ${past}`];
  const headers = {
    server: 'nginx',
    'set-cookie': ['a=1; Path=/', ...deleted, `b=2; ${past}; Max-Age=60`],
  };
  world.web[URL] = page(HTML, { status: 404, redirects: 1, headers });
  const formats = ['markdown', 'links', 'extract', 'html'];
  const { json, headers: sent } = await scrape({ format: 'json', formats, extract_rules: rules });
  expect(json).toEqual({
    url: URL,
    status: 404,
    redirects: 1,
    content_type: 'text/html',
    verdict: 'page',
    headers,
    cookies: { a: '1', b: '2' },
    html: HTML,
    markdown: '# Hello\n\nSome **words** [more](https://example.com/a)\n',
    content_scope: 'main',
    content_coverage: 1,
    links: [{ url: 'https://example.com/a', text: 'more', rel: 'next' }],
    extract: { heading: 'Hello', price: null },
    extract_report: [{ rule: 'price', selector: '.price', reason: 'no_match' }],
  });
  expect(sent['Content-Type']).toBe('application/json; charset=utf-8');
});

test('json holds the page as text if nothing else is wanted', async () => {
  expect((await scrape({ format: 'json' })).json).toMatchObject({ html: HTML });
});

const picture: Page = page('\x89PNG', { contentType: 'image/png' });

test.each([...Part.options.filter((part) => part !== 'html'), 'json'])(
  'a page without such parts costs nothing as %s',
  async (format) => {
    world.web[URL] = picture;
    const fields = format === 'extract' ? { extract_rules: rules } : {};
    const { status, json, headers } = await scrape({
      format,
      ...fields,
      ...(format === 'json' && { formats: ['text'] }),
    });
    expect(status).toBe(422);
    expect(json).toMatchObject({ code: 'not_convertible', reason: 'type', retryable: false });
    expect(headers).toMatchObject({ 'X-Credits-Used': '0', 'X-Credits-Reason': 'no_page' });
  },
);

test('a page without such parts comes unchanged under html', async () => {
  world.web[URL] = picture;
  const answer = await scrape({ format: 'html' });
  expect([answer.headers['Content-Type'], answer.text]).toEqual(['image/png', '\x89PNG']);
});

test('a feed has links and metadata', async () => {
  const rss = '<rss><channel><title>News</title><item><link>/1</link></item></channel></rss>';
  world.web[URL] = page(rss, { contentType: 'application/rss+xml' });
  expect((await scrape({ format: 'metadata' })).json).toEqual({ title: 'News' });
  expect((await scrape({ format: 'links' })).text).toContain('https://example.com/1');
  expect((await scrape({ format: 'text' })).json).toMatchObject({ code: 'not_convertible' });
});

test.each([
  [{ formats: ['text'] }, 'formats', 'only allowed with format=json'],
  [{ format: 'links', scope: 'main' }, 'scope', 'only allowed with markdown, text or clean_html'],
  [
    { format: 'links', include_selectors: ['a'] },
    'include_selectors',
    'only allowed with markdown, text or clean_html',
  ],
  [{ exclude_selectors: ['a'] }, 'exclude_selectors', 'only allowed with markdown, text or clean_html'],
  [
    { format: 'text', scope: 'full', include_selectors: ['a'] },
    'scope',
    'not allowed with include_selectors',
  ],
  [{ format: 'text', extract_rules: rules }, 'extract_rules', 'only allowed with extract'],
  [{ format: 'json', formats: ['extract'] }, 'extract_rules', 'is required'],
  [{ format: 'extract' }, 'extract_rules', 'is required'],
  [{ format: 'docx' }, 'format', 'expected one of html, clean_html, markdown'],
  [{ format: 'json', formats: [] }, 'formats', 'must not be empty'],
  [{ format: 'json', formats: ['json'] }, 'formats[0]', 'expected one of html'],
])('fields that have no effect are refused: %j', (fields, path, problem) =>
  expectRefused(service, key, fields, { path, problem }),
);

test.each(['include_selectors', 'exclude_selectors'])('%s takes up to 50 CSS selectors', async (name) => {
  const refused = (selectors: unknown, path: string, problem: string) =>
    expectRefused(service, key, { format: 'text', [name]: selectors }, { path, problem });
  await refused(['h1', 'p', 'a['], `${name}[2]`, 'expected a CSS selector');
  await refused(['h1', ''], `${name}[1]`, 'must not be empty');
  await refused([`#${'x'.repeat(1_000)}`], `${name}[0]`, 'must not be longer than 1000 characters');
  await refused([], name, 'must not be empty');
  await refused('h1', name, 'expected a list');
  await refused(new Array(51).fill('p'), name, 'must not be longer than 50 entries');
  await expectRefusedInQuery(service, key, `format=text&${name}=h1`, name);
  const { status } = await scrape({ format: 'text', [name]: new Array(50).fill('p') });
  expect(status).toBe(200);
});

test('selectors choose the elements that the text is taken from', async () => {
  const { text, headers } = await scrape({ format: 'text', include_selectors: ['h1'] });
  expect([text, headers['X-Content-Scope']]).toEqual(['Hello\n', 'selected']);
  const formats = ['text', 'html'];
  const { json } = await scrape({ format: 'json', formats, exclude_selectors: ['h1'] });
  expect(json['text']).not.toContain('Hello');
  expect(json['html']).toContain('Hello');
});

test.each([
  [{ a: 'h1[' }, 'extract_rules.a', 'expected a CSS selector'],
  [{ a: { selector: '//[' } }, 'extract_rules.a.selector', 'expected an XPath'],
  [{ a: { selector: 'p', output: { b: '&' } } }, 'extract_rules.a.output.b', 'expected a CSS selector'],
])('a rule: %j', (extract_rules, path, problem) =>
  expectRefused(service, key, { format: 'extract', extract_rules }, { path, problem }),
);

test.each(['formats', 'extract_rules'])(
  'fields that have no effect are refused: %s in a query string',
  (name) => expectRefusedInQuery(service, key, `${name}=%5B%5D`, name),
);

test('fields that have no effect are refused extract_rules in a query string, which is then not required as well', async () => {
  const { json } = await service.ask(`${SCRAPE}?url=${URL}&format=extract&extract_rules=%7B%7D`, { key });
  expect(json).toMatchObject({
    param: 'extract_rules',
    message: expect.stringContaining('only accepted in the JSON body') as string,
  });
  expect(json).not.toHaveProperty('errors');
});

const submitted = async (fields: object) =>
  String((await service.post(JOBS, key, { url: URL, ...fields })).json.job_id);

test('a job keeps its result under its own type, with what it is a part of', async () => {
  const id = await submitted({ format: 'markdown' });
  await service.work();
  const result = await service.ask(`${JOBS}/${id}/result`, { key });
  expect(result.headers).toMatchObject({
    'Content-Type': 'text/markdown; charset=utf-8',
    'X-Content-Scope': 'main',
    'X-Content-Coverage': '1',
  });
  expect(result.text).toContain('# Hello');
  const { json } = await service.ask(`${JOBS}/${id}`, { key });
  expect(json).toMatchObject({ status: 'completed', content_type: 'text/markdown; charset=utf-8' });
});

test('a job of a page without such parts fails at once, and costs nothing', async () => {
  world.web[URL] = page('%PDF', { contentType: 'application/pdf' });
  const id = await submitted({ format: 'text' });
  await service.work();
  const { json } = await service.ask(`${JOBS}/${id}`, { key });
  expect(json).toMatchObject({
    status: 'failed',
    attempts: 1,
    error_code: 'not_convertible',
    credits_used: 0,
    credits_reason: 'no_page',
  });
});

const wall = page('<title>Just a moment...</title><script>_cf_chl_opt</script>');

test('the verdict names a bot wall, which costs nothing whatever its status', async () => {
  world.web[URL] = wall;
  const { headers, text } = await scrape({});
  expect(headers).toMatchObject({
    'X-Page-Verdict': 'bot_wall; by=cloudflare',
    'X-Target-Status': '200',
    'X-Credits-Used': '0',
    'X-Credits-Reason': 'wall',
  });
  expect(text).toContain('Just a moment');
});

test('the verdict is page for a page, and for other walls, which cost what a page costs', async () => {
  expect((await scrape({})).headers).toMatchObject({ 'X-Page-Verdict': 'page', 'X-Credits-Used': '1' });
  world.web[URL] = page('<div id="root"></div>');
  expect((await scrape({})).headers).toMatchObject({ 'X-Page-Verdict': 'empty', 'X-Credits-Used': '1' });
});

test('the verdict of a demand for payment has its price, and costs nothing', async () => {
  world.web[URL] = page('', { status: 402, headers: { 'crawler-price': 'USD 0.01' } });
  expect((await scrape({})).headers).toMatchObject({
    'X-Page-Verdict': 'payment_required; price="usd 0.01"',
    'X-Credits-Used': '0',
    'X-Credits-Reason': 'target_status',
  });
});

test('the verdict is in the JSON, on the job, on its result and in the activity', async () => {
  world.web[URL] = wall;
  expect((await scrape({ format: 'json' })).json).toMatchObject({
    verdict: 'bot_wall',
    verdict_by: 'cloudflare',
  });
  const { json } = await service.post(JOBS, key, { url: URL });
  await service.work();
  const path = `${JOBS}/${String(json.job_id)}`;
  expect((await service.ask(path, { key })).json).toMatchObject({
    status: 'completed',
    verdict: 'bot_wall',
    verdict_by: 'cloudflare',
    credits_used: 0,
    credits_reason: 'wall',
  });
  const result = await service.ask(`${path}/result`, { key });
  expect(result.headers['X-Page-Verdict']).toBe('bot_wall; by=cloudflare');
  world.web[URL] = page(HTML);
  await scrape({});
  const listed = async (verdict: string) =>
    (await service.ask(`/api/v1/account/activity?verdict=${verdict}`, { key })).json.data as object[];
  const line = { verdict: 'bot_wall', verdict_by: 'cloudflare', credits: 0, reason: 'wall' };
  expect(await listed('bot_wall')).toMatchObject([line, line]);
  expect(await listed('page')).toMatchObject([{ verdict: 'page', reason: 'page' }]);
  const usage = (await service.ask('/api/v1/account/usage', { key })).json.data as { reasons: object }[];
  expect(usage[0]?.reasons).toMatchObject({ page: 1, wall: 2 });
});
