import fc from 'fast-check';
import { expect, test } from 'vitest';
import { serviceOver } from '../support/world/api.ts';
import { extent } from '../support/world/extent.ts';
import { inMemoryWorld } from '../support/world/in-memory-world.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const HTML =
  '<html><body><h1 class="a">Shoes</h1><p>Blue, in all sizes, in stock and sent today.</p></body></html>';

/** Spellings of URLs, by the page that they name. */
const URLS: Readonly<Record<string, string>> = {
  'https://shop.example/~a?b=1': 'a1',
  'HTTPS://SHOP.example:443/%7ea?b=1': 'a1',
  'https://shop.example/x/../~a?%62=1': 'a1',
  'https://shop.example/~a?b=2': 'a2',
  'https://shop.example/~a?b=1&c=1': 'a1c',
  'https://shop.example/~a?c=1&b=1': 'ca1',
  'https://shop.example/~A?b=1': 'A1',
  'https://shop.example/~a/?b=1': 'a1/',
  'http://shop.example/~a?b=1': 'http',
  'https://shop.example:8443/~a?b=1': 'port',
  'https://shop.example/~a%2Fb': 'encoded',
  'https://shop.example/~a/b': 'decoded',
};
const FRAGMENTS = ['', '#/one', '#/two'];

const KINDS = [{}, { render_js: true }, { premium_proxy: true }, { mode: 'auto' }];
const WITH_BROWSER = [
  {},
  { device: 'mobile' },
  { wait: 1 },
  { block_ads: true },
  { wait_until: 'load' },
  { wait_for: 'h1' },
];
const FORMATS = [
  {},
  { format: 'markdown' },
  { format: 'markdown', scope: 'full' },
  { format: 'markdown', include_selectors: ['p'] },
  { format: 'markdown', exclude_selectors: ['p'] },
  { format: 'json', formats: ['text', 'links'] },
  { format: 'json', formats: ['links'] },
  { format: 'extract', extract_rules: { a: 'h1' } },
  { format: 'extract', extract_rules: { a: '.a' } },
];
const COUNTRIES = [{}, { country_code: 'DE' }, { country_code: 'FR' }];
/** What decides nothing about the page. */
const ASIDE = [
  {},
  { timeout: 5_000 },
  { max_credits: 25 },
  { revalidate: false },
  { timeout: 6_000, revalidate: true },
];

const indexOf = (list: readonly unknown[]) => fc.nat(list.length - 1);
const asked = fc.record({
  caller: fc.nat(2),
  url: indexOf(Object.keys(URLS)),
  fragment: indexOf(FRAGMENTS),
  kind: indexOf(KINDS),
  browser: indexOf(WITH_BROWSER),
  format: indexOf(FORMATS),
  country: indexOf(COUNTRIES),
  aside: indexOf(ASIDE),
});
type Asked = typeof asked extends fc.Arbitrary<infer A> ? A : never;

/** Two requests that differ in at most two ways, as others would rarely be equal. */
const pairs = fc
  .tuple(
    asked,
    asked,
    fc.subarray(['caller', 'url', 'fragment', 'kind', 'browser', 'format', 'country', 'aside'] as const, {
      maxLength: 2,
    }),
  )
  .map(
    ([first, other, names]) =>
      [first, { ...first, ...Object.fromEntries(names.map((name) => [name, other[name]])) }] as const,
  );

function requestOf({ url, fragment, kind, browser, format, country, aside }: Asked) {
  const how = { ...KINDS[kind] };
  return {
    url: `${Object.keys(URLS)[url]}${FRAGMENTS[fragment]}`,
    max_age: 60,
    ...how,
    ...('render_js' in how && WITH_BROWSER[browser]),
    ...('premium_proxy' in how && COUNTRIES[country]),
    ...FORMATS[format],
    ...ASIDE[aside],
  };
}

/** What the page of a request depends on, said without the code under test. */
function shapeOf(it: Asked): string {
  const {
    url: _,
    timeout: _t,
    max_credits: _c,
    revalidate: _r,
    ...fields
  } = requestOf(it) as Record<string, unknown>;
  const seesFragment = 'render_js' in fields || 'mode' in fields;
  return JSON.stringify([
    it.caller,
    Object.values(URLS)[it.url],
    seesFragment && FRAGMENTS[it.fragment],
    fields,
  ]);
}

test('a request is a repeat of another one exactly if both are for the same page by the same caller', async () => {
  let hits = 0;
  await fc.assert(
    fc.asyncProperty(pairs, async ([first, second]) => {
      const world = inMemoryWorld();
      const fetchPage = ({ url }: { url: string }) =>
        Promise.resolve(page(HTML, { url: url.split('#')[0] ?? url }));
      const service = serviceOver(
        { ...world, fetchPage, renderPage: fetchPage },
        { allow: [], hasPremiumProxy: true },
      );
      const [one, another] = [await service.organization(), await service.organization()];
      const restricted = await service.organization();
      const [own] = await world.keys.list(restricted.orgId);
      if (own) await world.keys.save({ ...own, orgId: one.orgId, restrictions: { routes: ['scrape'] } });
      const keys = [one.key, another.key, restricted.key];
      const came = await service.post(SCRAPE, keys[first.caller], requestOf(first));
      expect([came.status, came.headers['X-Cache']]).toEqual([200, 'miss']);
      const { status, headers, bytes } = await service.post(SCRAPE, keys[second.caller], requestOf(second));
      const isSame = shapeOf(first) === shapeOf(second);
      expect([status, headers['X-Cache']]).toEqual([200, isSame ? 'hit' : 'miss']);
      if (isSame) expect(bytes).toEqual(came.bytes);
      hits += Number(isSame);
    }),
    { numRuns: extent(300, 10_000) },
  );
  expect(hits).toBeGreaterThan(50);
});
