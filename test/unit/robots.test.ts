import { expect, test } from 'vitest';
import { parseRobots, robotsOf } from '../../shared/domain/crawls/robots.ts';
import { robotsFacts, type RobotsFacts } from '../fixtures/crawls/robots-facts.ts';

const TOKEN = 'Sitefetch';

const asked = ({ lines, allowed = {}, disallowed = {} }: RobotsFacts) =>
  [allowed, disallowed].flatMap((paths, index) =>
    Object.entries(paths).flatMap(([token, each]) =>
      each.map((path) => ({ lines, token, path, isAllowed: index === 0 })),
    ),
  );

test.each(robotsFacts)('a robots.txt is read as Google reads it: $about', (facts) => {
  for (const { lines, token, path, isAllowed } of asked(facts)) {
    const about = `${token} ${path.slice(0, 60)}`;
    expect([about, parseRobots(lines, token).isAllowed(`http://foo.bar${path}`)]).toEqual([about, isAllowed]);
  }
});

test("of the 141 answers in Google's tests, all hold but four without a URL or a name, and index.html", () => {
  expect(robotsFacts.flatMap(asked).length).toBe(141 - 4 - 1);
});

const response = (text: string, rest = {}) => ({
  status: 200,
  redirects: 0,
  body: Buffer.from(text),
  ...rest,
});
const CLOSED = 'User-agent: *\nDisallow: /';
const isOpen = (answer: Parameters<typeof robotsOf>[0]) =>
  robotsOf(answer, TOKEN).isAllowed('https://example.com/a');

test.each([
  ['a file that disallows', response(CLOSED), false],
  ['a file that is not found', response(CLOSED, { status: 404 }), true],
  ['a file that may not be read', response(CLOSED, { status: 403 }), true],
  ['a server that fails', response('', { status: 503 }), false],
  ['a file that did not come', undefined, false],
  ['a file after five redirects', response(CLOSED, { redirects: 5 }), false],
  ['a file after six redirects', response(CLOSED, { redirects: 6 }), true],
  ['a byte order mark', response(`\uFEFF${CLOSED}`), false],
  ['lines that end as on old Macs', response(CLOSED.replace('\n', '\r')), false],
  ['what comes after 500 KiB', response(`${'#'.repeat(512_000)}\n${CLOSED}`), true],
  ['an HTML page', response('<!doctype html><p>User-agent: none</p>'), true],
])('RFC 9309: %s', (_, answer, isAllowed) => {
  expect(isOpen(answer)).toBe(isAllowed);
});

test('lines of other names do not end a group', () => {
  const text = 'User-agent: Other\nCrawl-delay: 5\nSitemap: /s.xml\nUser-agent: Sitefetch\nDisallow: /';
  expect(isOpen(response(text))).toBe(false);
});

test('the sitemaps of all groups are listed, and paths that are allowed without wildcards', () => {
  const text =
    'Sitemap: https://example.com/a.xml # main\nUser-agent: x\nAllow: /shop\nAllow: /*.html\nAllow: /a$\nsitemap:/b.xml';
  const { sitemaps, allowedPaths } = parseRobots(text, TOKEN);
  expect([sitemaps, allowedPaths]).toEqual([['https://example.com/a.xml', '/b.xml'], ['/shop']]);
});

test('many crawlers before many rules take no more memory than their lines', () => {
  const crawlers = Array.from(
    { length: 12_000 },
    (_, at) => `User-agent: bot-${String.fromCharCode(97 + (at % 26))}${at}`,
  );
  const rules = Array.from({ length: 12_000 }, (_, at) => `Disallow: /${at}/`);
  const robots = parseRobots([...crawlers, 'User-agent: Sitefetch', ...rules].join('\n'), TOKEN);
  expect([robots.isAllowed('http://a.test/7/x'), robots.isAllowed('http://a.test/x')]).toEqual([false, true]);
});
