import { expect, test } from 'vitest';
import { DROPPED_PARAMETERS, urlIdentity } from '../../shared/domain/crawls/url-identity.ts';
import type { QueryRule } from '../../shared/contract/crawls/query-rule.ts';

const standard: QueryRule = { drop: [...DROPPED_PARAMETERS] };
const key = (url: string, query: QueryRule = standard) => urlIdentity({ query })(new URL(url));

test.each([
  ['https://example.com/a', 'https://EXAMPLE.com:443/a#part', 'case of the host, default port, fragment'],
  ['https://example.com/', 'https://example.com', 'an empty path'],
  ['https://example.com/a', 'https://example.com/a?', 'an empty query'],
  ['https://example.com/a/b', 'https://example.com/a/./c/../b', 'dots'],
  ['https://example.com/~a-b', 'https://example.com/%7Ea%2Db', 'letters that need not be encoded'],
  ['https://example.com/%E3%83%84', 'https://example.com/%e3%83%84', 'case of hexadecimal digits'],
  ['https://example.com/ä', 'https://example.com/%C3%A4', 'other alphabets'],
  ['https://example.com/?a=1&b=2', 'https://example.com/?b=2&a=1', 'the order of parameters'],
  ['https://example.com/?a=1', 'https://example.com/?a=1&utm_source=x&UTM_Campaign=y', 'campaigns'],
  ['https://example.com/', 'https://example.com/?gclid=1&fbclid=2&msclkid=3', 'clicks'],
  ['https://example.com/cart', 'https://example.com/cart;jsessionid=4F2A?PHPSESSID=1', 'sessions'],
  ['https://example.com/a;v=1/b', 'https://example.com/a;v=1;JSESSIONID=1/b', 'a session within a path'],
  ['https://example.com/?a=1', 'https://example.com/?&a=1&', 'empty parameters'],
])('%s and %s are one page: %s', (one, other) => {
  expect(key(other)).toBe(key(one));
});

test.each([
  ['https://example.com/a', 'https://example.com/a/', 'a trailing slash'],
  ['https://example.com/a', 'https://example.com/A', 'case'],
  ['https://example.com/', 'http://example.com/', 'the scheme'],
  ['https://example.com/', 'https://www.example.com/', 'www'],
  ['https://example.com:8443/', 'https://example.com/', 'the port'],
  ['https://example.com/?a=1', 'https://example.com/?a=2', 'a value'],
  ['https://example.com/?a=1&a=2', 'https://example.com/?a=2&a=1', 'the order of values of one name'],
  ['https://example.com/a%2Fb', 'https://example.com/a/b', 'an encoded slash'],
])('%s and %s are two pages: %s', (one, other) => {
  expect(key(other)).not.toBe(key(one));
});

test.each([
  ['keep', 'https://example.com/?utm_source=x', '?utm_source=x'],
  ['ignore', 'https://example.com/?page=2', ''],
  [{ drop: ['page'] }, 'https://example.com/?page=2&utm_source=x', '?utm_source=x'],
  [{ drop: ['p*'] }, 'https://example.com/?page=2&q=1', '?q=1'],
  [{ drop: [] }, 'https://example.com/;jsessionid=1?b=2', ';jsessionid=1?b=2'],
] as const)('with query %j, %s keeps %s', (query, url, kept) => {
  expect(key(url, query as QueryRule)).toBe(`https://example.com/${kept}`);
});

test('origins that a redirect has proved to be one are one', () => {
  const sameAs = new Map([['http://example.com', 'https://www.example.com']]);
  const identity = (url: string) => urlIdentity({ query: standard, sameAs })(new URL(url));
  expect(identity('http://example.com/a?b=1')).toBe(identity('https://www.example.com/a?b=1'));
});
