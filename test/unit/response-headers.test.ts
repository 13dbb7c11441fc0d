import { expect, test } from 'vitest';
import { cookiesOf, responseHeaders } from '../../shared/contract/scrape/response-headers.ts';

const DATE = 'Wed, 25 Nov 2026 12:00:00 GMT';

test.each([
  ['a=b', { a: 'b' }],
  [' a = b ; Path=/', { a: 'b' }],
  ['a=b=c; Max-Age=60', { a: 'b=c' }],
  ['a="b c"; Expires=Thu, 26 Nov 2026 12:00:00 GMT', { a: '"b c"' }],
  ['a=b; Max-Age=0', {}],
  ['a=b; expires=Tue, 24 Nov 2026 12:00:00 GMT', {}],
  ['a=b; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT', { a: 'b' }],
  ['a=', {}],
  ['=b', {}],
  ['a', {}],
  ['a; b=c', {}],
  ['', {}],
])('the header %j sets %j', (line, cookies) => {
  expect(cookiesOf({ date: DATE, 'set-cookie': line })).toEqual(cookies);
});

test('a later header of the same cookie replaces or deletes it', () => {
  const lines = ['a=1', 'b=2', 'a=3', 'b=; Max-Age=0'];
  expect(cookiesOf({ 'set-cookie': lines })).toEqual({ a: '3' });
});

test('spaces inside of a value stay, however many', () => {
  const value = `b${' '.repeat(30_000)}c`;
  expect(cookiesOf({ 'set-cookie': `a=${value}` })).toEqual({ a: value });
});

test('a header that is too large is left out, and those after it are not', () => {
  const policy = ['Content-Security-Policy', 'x'.repeat(40_000)] as const;
  expect(responseHeaders([['Server', 'a'], policy, ['Set-Cookie', 'a=b'], ['set-cookie', 'c=d']])).toEqual({
    server: 'a',
    'set-cookie': ['a=b', 'c=d'],
  });
});
