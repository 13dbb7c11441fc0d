import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { AppError, errorCodes } from '../../shared/errors.ts';
import { compatProblem } from '../../shared/compat/problem.ts';
import { key, newServiceEachTest, service, usage, world } from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/v2/scrape';
const url = 'https://shop.example/';
const words = Array.from({ length: 60 }, (_, n) => `word${n}`).join(' ');
const HTML = `<html lang="en"><head><title>Shop</title><meta property="og:title" content="The shop">
  <meta name="robots" content="index"><link rel="icon" href="/i.ico"></head>
  <body><nav><a href="/menu">Menu</a></nav><main><h1>Shoes</h1><p>${words}</p><img src="/a.png"></main></body></html>`;

const JSON_OF_TITLE = {
  type: 'json',
  prompt: 'The title.',
  schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
};

newServiceEachTest({ policy: { allow: [], hasPremiumProxy: true, hasModel: true } });

type Document = Record<string, unknown> & { metadata: Record<string, unknown>; warning?: string };

async function scraped(options: object = {}) {
  const answer = await service.post(SCRAPE, key, { url, ...options });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  expect(answer.json['success']).toBe(true);
  const { warning, data } = answer.json as { warning?: string; data: Document };
  expect(warning).toBe(data.warning);
  return data;
}

test('a scrape is a document in Markdown, with what the page and the service say of it', async () => {
  world.web[url] = page(HTML, { url });
  const { markdown, metadata, ...rest } = await scraped();
  expect([String(markdown).slice(0, 8), rest]).toEqual(['# Shoes\n', {}]);
  expect(metadata).toMatchObject({
    ...{ title: 'The shop', language: 'en', robots: 'index', favicon: `${url}i.ico`, ogTitle: 'The shop' },
    ...{ sourceURL: url, url, statusCode: 200, contentType: 'text/html', proxyUsed: 'basic', creditsUsed: 1 },
  });
  expect(metadata['scrapeId']).toEqual(expect.any(String));
});

test('each format is its member, and the page is chosen by tags', async () => {
  world.web[url] = page(HTML, { url });
  const formats = ['markdown', 'html', 'rawHtml', 'links', 'images'];
  const selectors = [{ selector: 'nav a', attribute: 'href' }];
  const data = await scraped({
    formats: [...formats, { type: 'attributes', selectors }],
    includeTags: ['h1', 'nav'],
    excludeTags: ['a'],
  });
  expect(data).toMatchObject({
    markdown: '# Shoes\n',
    html: '<nav></nav>\n<h1>Shoes</h1>',
    rawHtml: HTML,
    links: [`${url}menu`],
    images: [`${url}i.ico`, `${url}a.png`],
    attributes: [{ selector: 'nav a', attribute: 'href', values: ['/menu'] }],
  });
  expect((await scraped({ onlyMainContent: false })).markdown).toContain('[Menu]');
  expect((await scraped({ onlyMainContent: true })).markdown).not.toContain('[Menu]');
});

describe('what a model reads', () => {
  const asked = () => world.model.asked[0];

  test('is json by a schema, for five credits beside the page', async () => {
    world.web[url] = page(HTML, { url });
    world.model.answer = () => ({ values: { json: { title: 'Shoes' } } });
    const { markdown, json, metadata } = await scraped({
      formats: ['markdown', JSON_OF_TITLE],
      proxy: 'basic',
    });
    expect([markdown, json]).toEqual([expect.stringContaining('# Shoes'), { title: 'Shoes' }]);
    expect(metadata['creditsUsed']).toBe(6);
    expect(asked()).toMatchObject({
      prompt: 'The title.',
      markdown: expect.stringContaining('# Shoes') as string,
    });
    expect(asked()?.schema).toMatchObject({
      properties: { json: { properties: { title: { type: 'string' } } } },
    });
  });

  test('is a summary, and what attributes have is beside it', async () => {
    world.web[url] = page(HTML, { url });
    world.model.answer = ({ found }) => ({
      values: { summary: 'Shoes.', json: [1], ...found },
      truncated: true,
    });
    const attributes = { type: 'attributes', selectors: [{ selector: 'nav a', attribute: 'href' }] };
    const formats = ['summary', { type: 'json', prompt: 'All numbers.' }, attributes];
    expect(await scraped({ formats })).toMatchObject({
      ...{ summary: 'Shoes.', json: [1] },
      attributes: [{ selector: 'nav a', attribute: 'href', values: ['/menu'] }],
      warning: 'Only the beginning of the page was shown to the model.',
    });
    expect(asked()?.schema['required']).toEqual(['json', 'summary']);
  });

  test('follows the references of the schema, whatever generator made it', async () => {
    world.web[url] = page(HTML, { url });
    world.model.answer = () => ({ values: { json: {} } });
    const $ref = '#/$defs/price';
    const schema = {
      ...{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' },
      ...{
        properties: { price: { $ref }, next: { $ref: '#' } },
        $defs: { price: { type: ['number', 'null'] } },
      },
    };
    await scraped({ formats: [{ type: 'json', schema: { ...schema, default: null } }] });
    expect(asked()?.schema['properties']).toEqual({
      json: {
        ...{ type: 'object', default: null, $defs: schema.$defs },
        properties: { price: { $ref: '#/properties/json/$defs/price' }, next: { $ref: '#/properties/json' } },
      },
    });
  });

  test('is missing from a page that is not charged', async () => {
    world.web[url] = page(HTML, { url, status: 500 });
    const data = await scraped({ formats: [JSON_OF_TITLE] });
    expect(data).not.toHaveProperty('json');
    expect([data.warning, world.model.asked]).toEqual([expect.stringContaining('Nothing was charged.'), []]);
  });

  test('that is not valid is an error, free of charge', async () => {
    world.web[url] = page(HTML, { url });
    world.model.answer = () => {
      throw new AppError('extraction_invalid');
    };
    const { status, json, headers } = await service.post(SCRAPE, key, { url, formats: [JSON_OF_TITLE] });
    expect([status, json['code'], headers['X-Credits-Used']]).toEqual([
      500,
      'SCRAPE_JSON_EXTRACTION_ERROR',
      '0',
    ]);
  });
});

test('changes since the last scrape are in the shape of change tracking', async () => {
  world.web[url] = page(HTML, { url });
  const formats = ['markdown', { type: 'changeTracking', modes: ['git-diff'], tag: 'a' }];
  expect((await scraped({ formats })).changeTracking).toEqual({
    ...{ previousScrapeAt: null, changeStatus: 'new', visibility: 'visible' },
  });
  world.web[url] = page(HTML.replace('Shoes', 'Boots'), { url });
  expect((await scraped({ formats })).changeTracking).toMatchObject({
    changeStatus: 'changed',
    previousScrapeAt: expect.any(String) as string,
    diff: { text: expect.stringContaining('-# Shoes') as string },
  });
});

test('a page that is young enough is returned again, free of charge', async () => {
  world.web[url] = page(HTML, { url });
  const old = await scraped({ maxAge: 60_000 });
  expect(old.metadata).toMatchObject({ cacheState: 'miss', creditsUsed: 1 });
  world.pass(30_000);
  const { metadata } = await scraped({ maxAge: 60_000 });
  expect(metadata).toMatchObject({
    cacheState: 'hit',
    creditsUsed: 0,
    cachedAt: expect.any(String) as string,
  });
  expect((await scraped()).metadata).not.toHaveProperty('cacheState');
});

test('a screenshot is a link to the store that shows it for a day', async () => {
  const body = Buffer.from('picture');
  const pictures = { screenshot: { type: 'jpeg', width: 1, height: 2, body } } as const;
  world.web[url] = page(HTML, { url, renderState: 'complete', pictures });
  const { screenshot, metadata } = await scraped({
    formats: [{ type: 'screenshot', fullPage: true, quality: 80, viewport: { width: 800, height: 600 } }],
  });
  const { pathname, searchParams } = new URL(String(screenshot));
  expect(Object.fromEntries(searchParams)).toMatchObject({ contentType: 'image/jpeg', seconds: '86400' });
  const stored = await world.results.open(pathname.slice(1));
  expect(stored && (await buffer(stored))).toEqual(body);
  expect(metadata['creditsUsed']).toBe(5);
});

test('actions return their screenshots as links, and the values of their scripts', async () => {
  const step = { index: 0, path: 'instructions[0]', status: 'ok', ms: 1, url } as const;
  const picture = { name: 'screenshot-0', type: 'png', width: 1, height: 2, base64: 'AAAA' } as const;
  const steps = [
    { ...step, step: 'screenshot', screenshot: picture },
    { ...step, index: 1, step: 'evaluate', result: null },
    { ...step, index: 2, step: 'evaluate', result: 'Ada' },
  ];
  world.web[url] = page(HTML, { url, renderState: 'complete', report: { ok: true, steps } });
  const script = { type: 'executeJavascript', script: '1' };
  const { actions } = await scraped({ actions: [{ type: 'screenshot' }, script, script] });
  expect(actions).toEqual({
    screenshots: [expect.stringMatching(/^https:.*image%2Fpng/)],
    javascriptReturns: [
      { type: 'null', value: null },
      { type: 'string', value: 'Ada' },
    ],
  });
});

describe('what is not the page', () => {
  test.each([
    [
      'a wall',
      { status: 403, headers: { 'cf-mitigated': 'challenge' } },
      'The target answered with a bot wall instead of the page. It is made by cloudflare. The target answered with status 403. Nothing was charged.',
    ],
    ['an error', { status: 500 }, 'The target answered with status 500. Nothing was charged.'],
    ['a missing page, which is charged', { status: 404 }, 'The target answered with status 404.'],
  ])('%s is a document with a warning', async (_, rest, warning) => {
    world.web[url] = page(HTML, { url, ...rest });
    const data = await scraped();
    const { statusCode, creditsUsed, error } = data.metadata;
    expect(data.warning).toBe(warning);
    expect([statusCode, creditsUsed]).toEqual([rest.status, rest.status === 404 ? 1 : 0]);
    expect(error).toBe(`The target answered with status ${rest.status}.`);
  });

  test('tags that match nothing are warned of', async () => {
    world.web[url] = page(HTML, { url });
    const data = await scraped({ includeTags: ['table'], proxy: 'basic' });
    expect([data.markdown, data.warning]).toEqual(['', 'No element with text matches includeTags.']);
  });
});

test('the credits used add up to the difference of the balances', async () => {
  world.web[url] = page(HTML, { url });
  const before = (await usage()).credits.available;
  const options = [
    {},
    { waitFor: 1 },
    { proxy: 'enhanced' },
    { proxy: 'stealth', mobile: true },
    { proxy: 'basic' },
  ];
  let used = 0;
  for (const each of options) used += Number((await scraped(each)).metadata['creditsUsed']);
  expect(used).toBe(1 + 5 + 10 + 25 + 1);
  expect(before - (await usage()).credits.available).toBe(used);
});

test.each([
  [{ formats: ['branding', 'menu', 'menu'] }, 'These formats are not supported here: branding, menu.'],
  [{ formats: ['json'] }, 'expected a schema or a prompt'],
  [{ formats: [{ type: 'json', prompt: '' }] }, "Invalid value for 'formats.0"],
  [{ formats: [JSON_OF_TITLE, JSON_OF_TITLE] }, 'The format json may be there once.'],
  [
    { formats: [{ type: 'json', schema: { type: 'object', properties: { a: { type: 'x' } } } }] },
    'formats.json.schema.properties.a',
  ],
  [{ formats: ['pdf'] }, "Unrecognized format 'pdf'."],
  [{ formats: [{ type: 'changeTracking', modes: ['json'] }] }, 'only git-diff is supported here'],
  [{ formats: [{ type: 'screenshot', full_page: true }] }, "Invalid value for 'formats.0'"],
  [{ parsers: ['docx'] }, "Invalid value for 'parsers"],
  [{ parsers: [{ type: 'pdf', maxPages: 0 }] }, "Invalid value for 'parsers"],
  [{ foo: 1 }, "Unrecognized key in body: 'foo'."],
  [{ pageOptions: {} }, "Unrecognized key in body: 'pageOptions'."],
  [{ lockdown: true, redactPII: true }, 'These options are not supported here: lockdown, redactPII.'],
  [{ zeroDataRetention: true }, 'These options are not supported here: zeroDataRetention.'],
  [{ includeTags: ['h1', 'a['] }, "Invalid value for 'includeTags[1]': expected a CSS selector."],
  [{ actions: [{ type: 'pdf' }] }, "The action 'pdf' is not supported here."],
  [{ actions: [{ type: 'wait' }] }, 'expected either milliseconds or selector'],
  [{ waitFor: 30_001 }, "Invalid value for 'waitFor': expected a whole number from 0 to 30000."],
  [{ proxy: 'custom' }, "Invalid value for 'proxy': expected one of auto, basic, enhanced, stealth."],
  [{ url: 'http://127.0.0.1/' }, 'may not be scraped'],
  [{ url: '' }, "Invalid value for 'url': must not be empty."],
])('%j is refused by its name, free of charge', async (options, problem) => {
  const { status, json, headers } = await service.post(SCRAPE, key, { url, ...options });
  expect([status, json['success'], json['code']]).toEqual([400, false, 'BAD_REQUEST']);
  expect(json['error']).toContain(problem);
  expect(headers['X-Credits-Used']).toBe('0');
});

test.each([
  [{ skipTlsVerification: true }, 'skipTlsVerification'],
  [{ timeout: 300_000 }, 'timeout'],
  [{ parsers: [] }, 'parsers'],
  [{ parsers: [{ type: 'pdf', mode: 'ocr' }] }, 'ocr'],
  [{ location: { country: 'US' } }, 'location.country'],
  [{ formats: ['links'], includeTags: ['h1'] }, 'includeTags'],
])('%j has no effect, which is said', async (options, name) => {
  world.web[url] = page(HTML, { url });
  expect((await scraped(options)).warning).toContain(name);
});

test('options of clients that change nothing are taken in silence', async () => {
  world.web[url] = page(HTML, { url });
  const silent = { origin: 'js-sdk@4', integration: 'x', storeInCache: true, removeBase64Images: true };
  const data = await scraped({
    ...silent,
    zeroDataRetention: false,
    fastMode: true,
    lockdown: false,
    minAge: null,
  });
  expect(data).not.toHaveProperty('warning');
});

test.each([
  ['dns_failed', 500, 'SCRAPE_DNS_RESOLUTION_ERROR'],
  ['tls_failed', 500, 'SCRAPE_SSL_ERROR'],
  ['connect_failed', 500, 'SCRAPE_SITE_ERROR'],
  ['timeout', 408, 'SCRAPE_TIMEOUT'],
  ['not_convertible', 500, 'SCRAPE_UNSUPPORTED_FILE_ERROR'],
] as const)('the error %s has the status %d and its code', async (code, status, theirs) => {
  world.web[url] = new AppError(code);
  const { json, ...answer } = await service.post(SCRAPE, key, { url, proxy: 'basic' });
  expect([answer.status, json]).toEqual([
    status,
    { success: false, error: expect.any(String) as string, code: theirs },
  ]);
});

test('no error is a 502, on which clients would send a request again', () => {
  for (const code of errorCodes) expect(compatProblem(new AppError(code)).status).not.toBe(502);
});

test('a caller without a key, without credits or over its limit gets an error of the same shape', async () => {
  const { status, json } = await service.post(SCRAPE, undefined, { url });
  expect([status, json['success'], json['code']]).toEqual([401, false, 'UNAUTHORIZED']);
  const slow = await service.organization({ overrides: { rpm: 1, credits: 0 } });
  const poor = await service.post(SCRAPE, slow.key, { url });
  expect([poor.status, poor.json['code']]).toEqual([402, 'INSUFFICIENT_CREDITS']);
  const limited = await service.post(SCRAPE, slow.key, { url });
  expect([limited.status, limited.headers['Retry-After']]).toEqual([429, expect.any(String)]);
  expect(limited.json['error']).toMatch(/^Rate limit exceeded\. .* Please retry after \d+s\.$/);
});

test('a scrape that was not kept is not found, and the response says how to keep one', async () => {
  world.web[url] = page(HTML, { url });
  const { metadata } = await scraped();
  for (const id of [String(metadata['scrapeId']), '0193e7a0', '0193e7a0-0000-7000-8000-000000000000-1']) {
    const { status, json } = await service.ask(`/v2/scrape/${id}`, { key });
    expect([status, json['success'], json['code']]).toEqual([404, false, 'NOT_FOUND']);
    expect(json['error']).toContain('POST /v2/batch/scrape');
  }
});

test.each([
  ['POST', '/v2/crawl/params-preview', 'includePaths'],
  ['POST', '/v2/search', 'POST /v2/scrape'],
  ['POST', '/v2/scrape/0193e7a0/interact', 'actions'],
  ['DELETE', '/v2/map', 'POST /v2/scrape'],
])('%s %s is not supported, and says what is', async (method, path, instead) => {
  const { status, json } = await service.ask(path, { method, key });
  expect([status, json['success'], json['code']]).toEqual([404, false, 'NOT_SUPPORTED']);
  expect(json['error']).toContain(instead);
});
