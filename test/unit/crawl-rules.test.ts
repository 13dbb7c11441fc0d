import { expect, test } from 'vitest';
import { globFilter } from '../../shared/domain/crawls/globs.ts';
import { readLastmod } from '../../shared/domain/crawls/lastmod.ts';
import { leftOut } from '../../shared/domain/crawls/outcome.ts';
import { scopeOf } from '../../shared/domain/crawls/scope.ts';
import { bestFirst, hasWords, wordsOf } from '../../shared/domain/crawls/search.ts';
import { hasRepeatedSegment } from '../../shared/domain/crawls/traps.ts';

test.each([
  ['path', 'https://example.com/shop/', 'https://example.com/shop/a/b', true],
  ['path', 'https://example.com/shop/index.html', 'http://www.example.com/shop/a', true],
  ['path', 'https://example.com/shop/', 'https://example.com/shopping', false],
  ['path', 'https://example.com/%73hop/', 'https://example.com/shop/a', true],
  ['host', 'https://example.com/shop/', 'https://example.com/', true],
  ['host', 'https://example.com/', 'https://www.example.com/', true],
  ['host', 'https://www.example.com/', 'http://example.com/', true],
  ['host', 'https://example.com/', 'https://blog.example.com/', false],
  ['host', 'https://example.com/', 'https://example.com.evil.test/', false],
  ['host', 'https://example.com/', 'https://example.com:8443/', false],
  ['host', 'http://127.0.0.1:8080/', 'http://127.0.0.1:8080/a', true],
  ['domain', 'https://example.co.uk/', 'https://blog.example.co.uk/', true],
  ['domain', 'https://a.b.example.com/', 'https://example.com/', true],
  ['domain', 'https://example.co.uk/', 'https://other.co.uk/', false],
  ['domain', 'https://one.github.io/', 'https://two.github.io/', false],
  ['domain', 'http://127.0.0.1/', 'http://127.0.0.2/', false],
] as const)('scope %s of %s: %s is %s', (scope, seed, url, isInside) => {
  expect(scopeOf(scope, new URL(seed))(new URL(url))).toBe(isInside);
});

test.each([
  ['/blog/*', '/blog/a', true],
  ['/blog/*', '/blog/a/b', false],
  ['/blog/*', '/blog/', true],
  ['/blog/**', '/blog/a/b', true],
  ['/blog/**', '/blog', false],
  ['/blog**', '/blog', true],
  ['**', '/any/thing?x=/y', true],
  ['*', '/', false],
  ['/', '/', true],
  ['/a', '/a/b', false],
  ['/**/edit', '/a/b/edit', true],
  ['/**/edit', '/edit', false],
  ['/*/edit', '/a/b/edit', false],
  ['**.pdf', '/a/b.pdf', true],
  ['**.pdf', '/a/b.pdf?x', false],
  ['/list?page=*', '/list?page=2&sort=a', true],
  ['/list?page=*', '/list?page=a/b', false],
  ['/a.b', '/axb', false],
  ['/a+(b)[c]', '/a+(b)[c]', true],
  ['/*a*b', '/xaxb', true],
  ['/*ab*ab', '/abab', true],
  ['/**a/*b', '/x/a/xb', true],
  ['/**a/*b', '/x/a/x/b', false],
  ['/Blog/*', '/blog/a', false],
])('the glob %s on %s: %s', (glob, path, isMatch) => {
  const url = new URL(path, 'https://example.com');
  expect(globFilter([glob], [])(url)).toBe(isMatch);
  expect(globFilter([], [glob])(url)).toBe(!isMatch);
});

test('exclude wins over include', () => {
  const isWanted = globFilter(['/blog/**', '/shop/**'], ['/blog/drafts/**']);
  const wanted = ['/blog/a', '/blog/drafts/a', '/shop/', '/'].map((path) =>
    isWanted(new URL(path, 'https://a.test')),
  );
  expect(wanted).toEqual([true, false, true, false]);
});

test('a glob made to backtrack ends at once on 2,000 characters', () => {
  const globs = [
    `/${'*a'.repeat(240)}b`,
    `/${'**a'.repeat(160)}b`,
    `/${'a*'.repeat(240)}b`,
    `/${'a**/'.repeat(120)}b`,
  ];
  const url = new URL(`/${'a'.repeat(2_000)}`, 'https://a.test');
  const since = performance.now();
  expect(globs.map((glob) => globFilter([glob], [])(url))).toEqual([false, false, false, false]);
  expect(performance.now() - since).toBeLessThan(5_000);
});

test.each([
  ['/a/b/c', false],
  ['/a/a/b', false],
  ['/a/a/a', true],
  ['/a/b/a/c/a', true],
  ['/a//b//c', false],
  ['/1/a/1/b/1', true],
])('the path %s is a trap: %s', (path, isTrap) => {
  expect(hasRepeatedSegment(new URL(path, 'https://example.com'))).toBe(isTrap);
});

test.each([
  [`/${'a'.repeat(2_048)}`, 'too_long'],
  ['/a/a/a', 'trap'],
  ['https://other.test/', 'out_of_scope'],
  ['/private/a', 'excluded'],
  ['/a', undefined],
])('%.40s is left out as %s', (path, why) => {
  const isInScope = scopeOf('host', new URL('https://example.com/'));
  const rules = { isInScope, isWanted: globFilter([], ['/private/**']) };
  expect(leftOut(new URL(path, 'https://example.com'), rules)).toBe(why);
});

test.each([
  ['2026-11-21', '2026-11-21'],
  ['2026-11', '2026-11'],
  ['2026', '2026'],
  [' 2026-11-21T10:00:00Z\n', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21T10:00+02:00', '2026-11-21T08:00:00.000Z'],
  ['2026-11-21T10:00:00+0200', '2026-11-21T08:00:00.000Z'],
  ['2026-11-21T10:00:00.123456Z', '2026-11-21T10:00:00.123Z'],
  ['2026-11-21 10:00:00', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21T10:00:00', '2026-11-21T10:00:00.000Z'],
  ['Sat, 21 Nov 2026 10:00:00 GMT', '2026-11-21T10:00:00.000Z'],
  ['21 Nov 2026 10:00 +0100', '2026-11-21T09:00:00.000Z'],
  ['Sat, 21 Nov 2026 10:00:00', '2026-11-21T10:00:00.000Z'],
  ['2026-13-45', undefined],
  ['yesterday', undefined],
  ['', undefined],
])('lastmod %j is %s', (text, read) => {
  expect(readLastmod(text)).toBe(read);
});

test('a search needs every word, in the URL or the title, whatever its case', () => {
  const found = { url: 'https://a.test/caf%C3%A9/red-shoes', title: 'Summer Sale' };
  expect(['RED sale', 'café', 'shoe', 'red boots'].map((text) => hasWords(found, wordsOf(text)))).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

test('whole words come first, in titles before URLs, then the shortest URL', () => {
  const found = [
    { url: 'https://a.test/shoeshine' },
    { url: 'https://a.test/long/way/to/shoe' },
    { url: 'https://a.test/shoe' },
    { url: 'https://a.test/9', title: 'A shoe' },
  ];
  const best = bestFirst(found, ['shoe']).map(({ url }) => url.slice('https://a.test'.length));
  expect(best).toEqual(['/9', '/shoe', '/long/way/to/shoe', '/shoeshine']);
});
