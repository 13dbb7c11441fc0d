import { expect, test } from 'vitest';
import { globsOf } from '../../shared/compat/path-globs.ts';
import { globFilter } from '../../shared/domain/crawls/globs.ts';

const PATHS = [
  ...['/', '/blog', '/blog/', '/blog/1', '/blog/1/x', '/blogs', '/x/blog/1', '/docs/a.html', '/docs/a-html'],
  ...['/admin', '/news/2', '/en-us/a', '/docs'],
];

/** Patterns that callers use. What a glob chooses is what the expression matches. */
test.each([
  ...[
    'blog',
    '/blog',
    '/blog/',
    '^/blog$',
    '^/blog/.*$',
    'blog/.*',
    '/blog/*',
    '^/(blog|news)/.*',
    '^/docs$',
  ],
  ...['/(blog|docs)/[^/]*$', '^/[^/]*$', 'a\\.html$', 'a.html', '^/(?:blog|news)', 'en-us', '.*', '^/$'],
])('the pattern %s is a glob', (pattern) => {
  const isChosen = globFilter(globsOf([pattern], 'includePaths'), []);
  const regExp = new RegExp(pattern);
  for (const path of PATHS) {
    const isDot = pattern === 'a.html' && path === '/docs/a-html';
    expect([path, isChosen(new URL(path, 'https://shop.example'))]).toEqual([
      path,
      !isDot && regExp.test(path),
    ]);
  }
  if (pattern.endsWith('$'))
    expect(isChosen(new URL('/blog?x=1', 'https://a.example'))).toBe(regExp.test('/blog'));
});

test.each(['^/\\d+$', 'a{2}', 'x?y', '(a|b)+', 'a|b', '[0-9]', '\\w', 'ab*c', '(', 'a.', '^blog', '^$'])(
  'the pattern %s is refused by its place',
  (pattern) => {
    expect(() => globsOf(['/a', pattern], 'excludePaths')).toThrow(
      expect.objectContaining({ code: 'invalid_request', fields: { param: 'excludePaths[1]' } }),
    );
  },
);

test('one or more of any letters is any number of them', () => {
  expect(globsOf(['^/blog/.+$', '^/[^/]+'], 'includePaths')).toEqual(['/blog/**', '/blog/**?**', '/**']);
});
