import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scrapeFields, scrapeOptionShape, ScrapeOptions } from '../../shared/compat/scrape-options.ts';
import { BatchBody, batchFields } from '../../shared/compat/batch-options.ts';
import { CrawlBody, crawlFields } from '../../shared/compat/crawl-options.ts';
import { MapBody, mapFields } from '../../shared/compat/map-options.ts';
import { readOptions } from '../../shared/compat/read-options.ts';
import { compatProblem } from '../../shared/compat/problem.ts';
import { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import { AppError, toAppError } from '../../shared/errors.ts';
import { checkedRequest } from '../../shared/request/parse-scrape-request.ts';
import { extent } from '../support/world/extent.ts';

const url = 'https://shop.example/';
const one = <T>(...values: T[]) => fc.constantFrom(...values);
const flag = one(true, false);
const tags = one([], ['h1'], ['.a > b', 'nav'], ['a['], new Array(51).fill('p'));
const format = one<unknown>(
  ...[
    'markdown',
    'html',
    'rawHtml',
    'links',
    'images',
    'screenshot',
    'json',
    'summary',
    'pdf',
    'changeTracking',
  ],
  { type: 'screenshot', fullPage: true, quality: 80, viewport: { width: 1280, height: 800 } },
  { type: 'screenshot', viewport: { width: 1, height: 1 } },
  { type: 'changeTracking', modes: ['git-diff'], tag: 'a' },
  { type: 'changeTracking', modes: ['json'], schema: {} },
  { type: 'json', prompt: 'All prices.' },
  { type: 'json', schema: { type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: true } } },
  { type: 'json', schema: { type: 'list' } },
  { type: 'attributes', selectors: [{ selector: 'a', attribute: 'href' }] },
  { type: 'attributes', selectors: [{ selector: 'a[', attribute: 'href' }] },
);
const action = one<unknown>(
  { type: 'wait', milliseconds: 10 },
  { type: 'wait', selector: '#a' },
  { type: 'wait' },
  { type: 'click', selector: 'text=Go' },
  { type: 'click', selector: 'a[' },
  { type: 'write', text: 'Ada' },
  { type: 'press', key: 'Enter' },
  { type: 'scroll', direction: 'up' },
  { type: 'scroll', direction: 'down', selector: '#a' },
  { type: 'screenshot' },
  { type: 'screenshot', fullPage: true },
  { type: 'executeJavascript', script: '1' },
  { type: 'scrape' },
  { type: 'pdf' },
);
const values = {
  formats: fc.array(format, { maxLength: 4 }),
  headers: one({}, { 'User-Agent': 'x' }, { Host: 'x' }, { 'accept-language': 'de' }),
  includeTags: tags,
  excludeTags: tags,
  onlyMainContent: flag,
  timeout: one(999, 1_000, 30_000, 120_001, 600_000),
  waitFor: one(0, 1, 30_000, 60_000),
  mobile: flag,
  actions: fc.array(action, { maxLength: 3 }),
  location: one({}, { country: 'US' }, { country: 'XX', languages: ['de', 'en'] }, { languages: ['en'] }),
  blockAds: flag,
  proxy: one('auto', 'basic', 'enhanced', 'stealth', 'custom'),
  maxAge: one(0, 999, 60_000, 1e13),
  minAge: one(0, 1),
  lockdown: flag,
  redactPII: one<unknown>(true, false, { mode: 'fast' }),
  threatProtection: one({ mode: 'off' }),
  profile: one({ name: 'x' }),
  useMock: one('x'),
  auditMetadata: one({ username: 'x' }),
  domainTools: flag,
  zeroDataRetention: flag,
  origin: one('mcp'),
  integration: one('x'),
  storeInCache: flag,
  removeBase64Images: flag,
  fastMode: flag,
  skipTlsVerification: flag,
  parsers: one<unknown[]>([], [{ type: 'pdf', mode: 'ocr' }], [{ type: 'pdf', maxPages: 3 }]),
  toolDetail: one('full'),
  unknown: one(1),
};

/** A few of them at once: of many, one is refused. */
const optional = fc
  .tuple(fc.record(values), fc.subarray(Object.keys(values), { minLength: 1, maxLength: 4 }))
  .map(
    ([all, names]) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name))) as Partial<typeof all>,
  );

/** Values that mean the same as an absent option, and options that change nothing here. */
const IDLE = ['origin', 'integration', 'storeInCache', 'removeBase64Images', 'fastMode', 'toolDetail'];
const DEFAULTS: Readonly<Record<string, unknown>> = {
  ...{
    onlyMainContent: true,
    waitFor: 0,
    mobile: false,
    proxy: 'auto',
    maxAge: 0,
    minAge: 0,
    lockdown: false,
  },
  ...{ redactPII: false, domainTools: false, zeroDataRetention: false, skipTlsVerification: false },
};
const isIdle = (name: string, value: unknown) =>
  IDLE.includes(name) ||
  DEFAULTS[name] === value ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

function mapped(options: object) {
  const read = readOptions(ScrapeOptions, options);
  const { fields, warnings } = scrapeFields(read);
  const input = { url, ...fields };
  const policy = { allow: [], hasPremiumProxy: true };
  const request = checkedRequest(ScrapeRequest, { input, source: 'body' }, [], policy);
  return JSON.stringify([request, warnings]);
}

/** What comes of options: a request, or the error of `/v2`. */
function outcomeOf(options: object) {
  try {
    return { request: mapped(options) };
  } catch (error) {
    return { error: toAppError(error) };
  }
}

test('every option of a scrape takes part in the property', () => {
  expect(Object.keys(scrapeOptionShape).filter((name) => !(name in values))).toEqual([]);
});

test('no set of options is a fault of the service, and none is left out in silence', () => {
  let [accepted, refused] = [0, 0];
  fc.assert(
    fc.property(optional, (options) => {
      const { request, error } = outcomeOf(options);
      if (error) {
        refused += 1;
        expect(error).toBeInstanceOf(AppError);
        expect([compatProblem(error).status, Object.keys(options).length > 0]).toEqual([400, true]);
        return;
      }
      accepted += 1;
      for (const [name, value] of Object.entries(options)) {
        if (isIdle(name, value)) continue;
        const others = Object.fromEntries(Object.entries(options).filter(([each]) => each !== name));
        const without = outcomeOf(others).request;
        expect([name, value, without === request && !hasReason(name, options)]).toEqual([name, value, false]);
      }
    }),
    { numRuns: extent(2_000, 10_000) },
  );
  expect(Math.min(accepted, refused)).toBeGreaterThan(200);
});

type Sent = typeof optional extends fc.Arbitrary<infer T> ? T : never;

/** Why an option may change nothing although it asks for something. */
function hasReason(name: string, options: Sent): boolean {
  const { formats = ['markdown'], includeTags = [], waitFor = 0, mobile, actions = [] } = options;
  const named = formats.map((each) => (typeof each === 'string' ? each : (each as { type: string }).type));
  const hasText = named.some((each) => ['markdown', 'html', 'changeTracking'].includes(each));
  const hasBrowser = named.includes('screenshot') || waitFor > 0 || mobile === true || actions.length > 0;
  const reasons: Readonly<Record<string, boolean>> = {
    // Without a browser no ads are loaded, and with it they are blocked in any case.
    blockAds: !hasBrowser || options.blockAds === true,
    // What the caller names is taken whole.
    onlyMainContent: !hasText || includeTags.length > 0,
    // A new page is never too old.
    maxAge:
      (options.maxAge ?? 0) < 1_000 ||
      'headers' in options ||
      'location' in options ||
      actions.length > 0 ||
      named.includes('changeTracking'),
    // One warning names both.
    includeTags: !hasText && (options.excludeTags?.length ?? 0) > 0,
    excludeTags: !hasText && includeTags.length > 0,
    headers: 'location' in options,
    location: 'headers' in options,
    formats: formats.every((each) => each === 'markdown'),
  };
  return reasons[name] ?? false;
}

test.each([
  [{}, { limit: 10_000, max_depth: 100, scope: 'path' }],
  [
    { limit: 5, maxDiscoveryDepth: 2 },
    { limit: 5, max_depth: 2 },
  ],
  [{ crawlEntireDomain: true }, { scope: 'host' }],
  [{ allowSubdomains: true }, { scope: 'domain' }],
  [{ ignoreQueryParameters: true }, { query: 'ignore' }],
  [{ ignoreQueryParameters: false }, { query: 'keep' }],
  [{ sitemap: 'only' }, { sitemaps: 'only' }],
  [{ excludePaths: ['^/a'] }, { exclude: ['/a**'] }],
  [
    { delay: 1.5, maxConcurrency: 4 },
    { delay: 1_500, concurrency: 1 },
  ],
  [{ maxConcurrency: 50 }, { concurrency: 10 }],
])('the options %j of a crawl are the fields %j', (options, fields) => {
  expect(crawlFields(readOptions(CrawlBody, { url, ...options })).fields).toMatchObject(fields);
});

test.each([
  [{}, { scope: 'domain', query: 'ignore' }],
  [
    { includeSubdomains: false, ignoreQueryParameters: false },
    { scope: 'host', query: 'keep' },
  ],
  [
    { search: 'x', limit: 5, timeout: 300_000 },
    { search: 'x', limit: 5, timeout: 120_000 },
  ],
])('the options %j of a map are the fields %j', (options, fields) => {
  expect(mapFields(readOptions(MapBody, { url, ...options })).fields).toMatchObject(fields);
});

test('a batch is not appended to another', () => {
  const options = readOptions(BatchBody, { urls: [url], appendToId: 'x' });
  expect(() => batchFields(options)).toThrow(
    expect.objectContaining({ code: 'invalid_request', fields: { param: 'appendToId' } }),
  );
});

test('a fault of this service is reported without its details', () => {
  const { status, body } = compatProblem(new AppError('internal', { message: 'table accounts' }));
  expect([status, JSON.stringify(body)]).toEqual([500, expect.not.stringContaining('accounts')]);
});
