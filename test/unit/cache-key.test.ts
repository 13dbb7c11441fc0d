import { expect, test } from 'vitest';
import { scrapeFields, ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import { shapingFields } from '../../shared/contract/scrape/shaping-fields.ts';
import { cacheKey, urlKey } from '../../shared/domain/scrape/cache/cache-key.ts';

const url = 'https://example.com/';
const caller = { orgId: 'org_1' };

test.each([
  ['https://example.com', 'https://example.com/'],
  ['HTTPS://EXAMPLE.com:443/', 'https://example.com/'],
  ['http://example.com:80/?', 'http://example.com/'],
  ['http://example.com:443/', 'http://example.com:443/'],
  ['https://example.com/a/./b/../c', 'https://example.com/a/c'],
  ['https://example.com/%7ea%2fb%c3%a9', 'https://example.com/~a%2Fb%C3%A9'],
  ['https://example.com/é?q=ü', 'https://example.com/%C3%A9?q=%C3%BC'],
  ['https://example.com/?b=1&a=2&b=3#top', 'https://example.com/?b=1&a=2&b=3'],
  ['https://example.com/?a=%41%2b', 'https://example.com/?a=A%2B'],
  ['https://example.com/a/', 'https://example.com/a/'],
  ['https://example.com/a%', 'https://example.com/a%'],
])('the key of %s is %s', (text, key) => {
  expect(urlKey(text)).toBe(key);
});

test('every field shapes a page, unless it is known not to', () => {
  const sent = Object.fromEntries(Object.keys(scrapeFields).map((name) => [name, 1]));
  const shaping = Object.keys(shapingFields(sent));
  const others = Object.keys(scrapeFields).filter((name) => !shaping.includes(name));
  expect(others.sort()).toEqual([
    'max_age',
    'max_chars',
    'max_credits',
    'offset',
    'revalidate',
    'timeout',
    'url',
  ]);
});

test('fields of jobs and batches shape no page', () => {
  const request = ScrapeRequest.parse({ url });
  const job = { ...request, tags: ['a'], webhook: 'x', customId: 'y', retryOn: [503], completeWithin: 60 };
  expect(cacheKey(job, caller)).toEqual(cacheKey(request, caller));
});

test('the order of restrictions does not matter, and none differ from all', () => {
  const keyOf = (formats?: string[]) =>
    cacheKey(ScrapeRequest.parse({ url }), { ...caller, restrictions: formats && { formats } });
  expect(keyOf(['html', 'text'])).toEqual(keyOf(['text', 'html']));
  expect(keyOf(['html'])).not.toEqual(keyOf());
  expect(keyOf(['html'])).not.toEqual(keyOf(['text']));
});
