import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { MapSummary, MappedUrl } from '../../shared/contract/crawls/map.ts';
import type { Page } from '../../shared/contract/scrape/page.ts';
import { AppError } from '../../shared/errors.ts';
import { createKey } from '../../shared/use-cases/accounts/manage-keys.ts';
import { serviceOver } from '../support/world/api.ts';
import {
  asNewOrganization,
  key,
  newServiceEachTest,
  orgId,
  service,
  usage,
  world,
} from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const MAP = '/api/v1/map';
const SITE = 'https://example.com';
const url = `${SITE}/`;

newServiceEachTest();

const at = (path: string, body: string | Buffer, rest: Partial<Page> = {}) => {
  const whole = new URL(path, SITE).href;
  world.web[whole] = {
    ...page('', { contentType: 'application/xml', url: whole, ...rest }),
    body: Buffer.from(body),
  };
};
const missing = (path: string) => at(path, 'Not found', { status: 404, contentType: 'text/plain' });
const urlset = (...paths: string[]) =>
  `<urlset>${paths.map((path) => `<url><loc>${new URL(path, SITE).href}</loc></url>`).join('')}</urlset>`;
const index = (...paths: string[]) =>
  `<sitemapindex>${paths.map((path) => `<sitemap><loc>${new URL(path, SITE).href}</loc></sitemap>`).join('')}</sitemapindex>`;
const html = (links: string, head = '') =>
  `<!doctype html><html><head><title>Home</title>${head}</head><body><p>A shop for shoes and more of all kinds.</p>${links}</body></html>`;

/** A site without robots.txt and sitemaps. */
function bareSite(links = '', head = '') {
  ['/robots.txt', '/sitemap.xml', '/sitemap_index.xml'].forEach(missing);
  at('/', html(links, head), { contentType: 'text/html' });
}

type Mapped = MapSummary & { urls: MappedUrl[] };

async function mapped(fields: object = {}) {
  const answer = await service.post(MAP, key, { url, ...fields });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return { ...(answer.json as unknown as Mapped), headers: answer.headers };
}

const paths = ({ urls }: Pick<Mapped, 'urls'>) => urls.map((each) => each.url.replace(SITE, ''));

test('a map has the URLs of page, feeds and sitemaps, each once, with what is known of them', async () => {
  at('/robots.txt', `Sitemap: ${SITE}/index.xml`, { contentType: 'text/plain' });
  at('/index.xml', index('/pages.xml.gz'));
  const entry = `<url><loc>${SITE}/about?utm_source=map</loc><lastmod>2026-11-20</lastmod></url>`;
  at('/pages.xml.gz', gzipSync(`<urlset>${entry}<url><loc>${SITE}/news</loc></url></urlset>`), {
    contentType: 'application/gzip',
  });
  at('/feed', `<rss><channel><item><title>Post</title><link>${SITE}/post</link></item></channel></rss>`);
  const feed = '<link rel="alternate" type="application/rss+xml" href="/feed">';
  at('/', html('<a href="/about#team">About us</a> <a href="https://other.example/">Other</a>', feed), {
    contentType: 'text/html',
  });
  const { headers, ...map } = await mapped();
  expect(map).toEqual({
    urls: [
      { url, source: 'page', title: 'Home' },
      { url: `${SITE}/about`, source: 'page', title: 'About us', lastmod: '2026-11-20' },
      { url: `${SITE}/post`, source: 'feed', title: 'Post' },
      { url: `${SITE}/news`, source: 'sitemap' },
    ],
    total: 4,
    complete: true,
    left_out: { out_of_scope: 1 },
    sources: [
      { url: `${SITE}/robots.txt`, type: 'robots', status: 200 },
      { url, type: 'page', status: 200, urls: 3 },
      { url: `${SITE}/feed`, type: 'feed', status: 200, urls: 1 },
      { url: `${SITE}/index.xml`, type: 'sitemap', status: 200, urls: 0 },
      { url: `${SITE}/pages.xml.gz`, type: 'sitemap', status: 200, urls: 2 },
    ],
  });
  expect(headers).toMatchObject({
    'X-Credits-Used': '1',
    'X-Credits-Reason': 'page',
    'X-Credits-Remaining': '999',
  });
});

test('a call is one credit, one scrape of the day and one line of activity', async () => {
  bareSite();
  await mapped({ timeout: 5_000 });
  const { credits, slots } = await usage();
  expect([credits.used, slots.inUse, credits.days['2026-11-21']]).toEqual([
    1,
    {},
    { plain_page: 1, plain_credits: 1 },
  ]);
  const { json } = await service.ask('/api/v1/account/activity', { key });
  expect(json.data).toMatchObject([
    { type: 'map', url, host: 'example.com', options: { timeout: 5_000 }, credits: 1, reason: 'page' },
  ]);
});

test('a site that cannot be reached costs nothing, and proves nothing', async () => {
  const { headers, ...map } = await mapped();
  expect(map).toMatchObject({ urls: [], total: 0, complete: false, incomplete_because: 'unreachable' });
  expect(map.sources[0]).toEqual({ url: `${SITE}/robots.txt`, type: 'robots', error: 'dns_failed' });
  expect(headers).toMatchObject({
    'X-Credits-Used': '0',
    'X-Credits-Reason': 'no_page',
    'X-Credits-Remaining': '1000',
  });
  expect((await usage()).slots.inUse).toEqual({});
});

test('as lines, a map is sent while the site is read, with the rest in the last line', async () => {
  bareSite('<a href="/a">A</a>');
  const answer = await service.post(MAP, key, { url }, { Accept: 'application/x-ndjson' });
  expect(answer.headers).toMatchObject({
    'Content-Type': 'application/x-ndjson; charset=utf-8',
    Vary: 'Accept',
    'X-Credits-Used': '1',
    'X-Credits-Reason': 'page',
  });
  const lines = answer.text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([{ url }, { url: `${SITE}/a`, title: 'A' }, { total: 2, complete: true }]);
  expect((await usage()).credits.used).toBe(1);
});

test('lines of a site without URLs are the summary alone, and free', async () => {
  const answer = await service.post(MAP, key, { url }, { Accept: 'application/x-ndjson' });
  expect(JSON.parse(answer.text)).toMatchObject({ total: 0, incomplete_because: 'unreachable' });
  expect(answer.headers).toMatchObject({ 'X-Credits-Used': '0', 'X-Credits-Reason': 'no_page' });
});

const LISTED = 'User-agent: *\nDisallow: /private\nAllow: /open\n';
const LINKS = '<a href="/private/a">P</a><a href="/b">B</a>';

test.each([
  ['obey', ['/', '/b', '/open'], { robots: 1 }],
  ['report', ['/', '/private/a', '/b', '/open'], {}],
])('with robots %s, disallowed URLs are left out or marked', async (robots, expected, leftOut) => {
  bareSite(LINKS);
  at('/robots.txt', LISTED, { contentType: 'text/plain' });
  const map = await mapped({ robots });
  expect([paths(map), map.left_out, map.complete]).toEqual([expected, leftOut, true]);
  const marked = map.urls.filter(({ disallowed }) => disallowed).map((each) => each.url);
  expect(marked).toEqual(robots === 'report' ? [`${SITE}/private/a`] : []);
  expect(map.urls.at(-1)).toEqual({ url: `${SITE}/open`, source: 'robots' });
});

test('the page that robots.txt disallows is not requested, but sitemaps that it lists are', async () => {
  at('/robots.txt', `User-agent: Sitefetch\nDisallow: /\nAllow: /shop/\nSitemap: ${SITE}/s.xml`);
  at('/s.xml', urlset('/shop/a', '/b'));
  world.web[url] = () => Promise.reject(new Error('It was requested.'));
  const map = await mapped();
  expect(paths(map)).toEqual(['/shop/a', '/shop/']);
  expect(map).toMatchObject({ complete: false, incomplete_because: 'robots', left_out: { robots: 1 } });
});

test('of a robots.txt that the server fails to send, nothing is allowed', async () => {
  bareSite(LINKS);
  at('/robots.txt', '', { status: 503 });
  const map = await mapped();
  expect([map.urls, map.incomplete_because, map.headers['X-Credits-Used']]).toEqual([[], 'robots', '0']);
  expect(paths(await mapped({ robots: 'report' }))).toEqual(['/', '/private/a', '/b']);
});

test('only a service whose operator allows it ignores robots.txt', async () => {
  bareSite(LINKS);
  at('/robots.txt', LISTED, { contentType: 'text/plain' });
  const refused = await service.post(MAP, key, { url, robots: 'ignore' });
  expect([refused.status, refused.json]).toMatchObject([403, { code: 'robots_required', param: 'robots' }]);
  const free = serviceOver(world, { allow: [] }, { robotsToken: 'Sitefetch', mayIgnoreRobots: true });
  const answer = await free.post(MAP, key, { url, robots: 'ignore' });
  expect(paths(answer.json as unknown as Mapped)).toEqual(['/', '/private/a', '/b', '/open']);
});

test('robots.txt is read for the name that the stage gives the service', async () => {
  bareSite(LINKS);
  at('/robots.txt', 'User-agent: AcmeBot\nDisallow: /private');
  const acme = serviceOver(world, { allow: [] }, { robotsToken: 'AcmeBot', mayIgnoreRobots: false });
  const answer = await acme.post(MAP, key, { url });
  expect(paths(answer.json as unknown as Mapped)).toEqual(['/', '/b']);
  expect(paths(await mapped())).toEqual(['/', '/private/a', '/b']);
});

test.each([
  [{ include: ['/blog/**'] }, ['/blog/a', '/blog/b/c']],
  [{ include: ['/blog/*'] }, ['/blog/a']],
  [{ exclude: ['/blog/**', '/'] }, ['/x?id=2', '/x?id=1&utm_source=y']],
  [{ query: 'ignore', exclude: ['/blog/**'] }, ['/', '/x?id=2']],
  [{ scope: 'path', url: `${SITE}/blog/` }, ['/blog/', '/blog/a', '/blog/b/c']],
  [{ search: 'Blog B/C' }, ['/blog/b/c']],
  [{ search: 'a link' }, ['/x?id=2']],
  [{ sitemaps: 'skip', exclude: ['/x**'] }, ['/', '/blog/a']],
  [{ sitemaps: 'only' }, ['/blog/b/c', '/x?id=1&utm_source=y']],
])('with %j a map has %j', async (fields, expected) => {
  bareSite('<a href="/blog/a">Post</a><a href="/x?id=2">A link</a>');
  world.web[`${SITE}/blog/`] = { ...(world.web[url] as Page), url: `${SITE}/blog/` };
  at('/sitemap.xml', urlset('/blog/b/c', '/x?id=1&amp;utm_source=y'));
  expect(paths(await mapped(fields))).toEqual(expected);
});

test('what search finds is sorted, and its number is known beyond the limit', async () => {
  bareSite(
    '<a href="/z/shoes-and-more">x</a><a href="/s">Shoes</a><a href="/snowshoes">y</a><a href="/t">no</a>',
  );
  const map = await mapped({ search: 'shoes', limit: 2 });
  expect(paths(map)).toEqual(['/s', '/z/shoes-and-more']);
  expect(map).toMatchObject({ total: 3, complete: false, incomplete_because: 'limit' });
});

test('a limit is reported if there are more URLs, and not if it is just met', async () => {
  bareSite('<a href="/a">A</a><a href="/b">B</a>');
  expect(await mapped({ limit: 2 })).toMatchObject({
    total: 2,
    complete: false,
    incomplete_because: 'limit',
  });
  expect(await mapped({ limit: 3 })).toMatchObject({ total: 3, complete: true });
});

test('what was found before the timeout is returned', async () => {
  bareSite('<a href="/a">A</a>');
  at('/robots.txt', `Sitemap: ${SITE}/slow.xml`);
  world.web[`${SITE}/slow.xml`] = (signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  const map = await mapped({ timeout: 1_000 });
  expect(paths(map)).toEqual(['/', '/a']);
  expect([map.incomplete_because, map.headers['X-Credits-Used']]).toEqual(['timeout', '1']);
});

test('indexes lead to indexes, five deep, and circles end', async () => {
  bareSite();
  const chain = Array.from({ length: 8 }, (_, depth) => `/${depth}.xml`);
  at('/robots.txt', `Sitemap: ${SITE}/0.xml`);
  chain.forEach((path, depth) => at(path, index(chain[depth + 1] ?? '/0.xml', `/s${depth}.xml`, path)));
  chain.forEach((_, depth) => at(`/s${depth}.xml`, urlset(`/page${depth}`)));
  const map = await mapped();
  expect(paths(map)).toEqual(['/', '/page0', '/page1', '/page2', '/page3', '/page4']);
  expect(
    map.sources.filter(({ error }) => error).map((source) => [source.url.replace(SITE, ''), source.error]),
  ).toEqual([
    ['/6.xml', 'depth'],
    ['/s5.xml', 'depth'],
    ['/5.xml', 'depth'],
  ]);
});

test.each<[string, () => void, string | undefined, string[]]>([
  ['is missing', () => missing('/s.xml'), 'status', []],
  ['fails', () => void (world.web[`${SITE}/s.xml`] = new AppError('connect_failed')), 'connect_failed', []],
  ['is an HTML page', () => at('/s.xml', html('')), 'format', []],
  [
    'is too large',
    () => void (world.web[`${SITE}/s.xml`] = new AppError('response_too_large')),
    'response_too_large',
    [],
  ],
  ['is cut off', () => at('/s.xml', urlset('/a', '/b').slice(0, -20)), 'cut_off', ['/a']],
  ['is cut off while gzipped', () => at('/s.xml', gzipSync(urlset('/a')).subarray(0, -4)), 'cut_off', ['/a']],
  [
    'is gzip by name alone',
    () => at('/s.xml', urlset('/a'), { contentType: 'application/x-gzip' }),
    undefined,
    ['/a'],
  ],
  ['is a list of URLs', () => at('/s.xml', `${SITE}/a\n${SITE}/b\n`), undefined, ['/a', '/b']],
  ['leads to another site', () => at('/s.xml', index('https://other.example/s.xml')), 'out_of_scope', []],
  [
    'leads to a private address',
    () => at('/s.xml', index('http://sub.example.com/s.xml')),
    'url_not_allowed',
    [],
  ],
])('a sitemap that %s', async (_, put, error, expected) => {
  bareSite();
  world.web['http://sub.example.com/s.xml'] = new AppError('url_not_allowed', {
    fields: { reason: 'private' },
  });
  at('/robots.txt', `Sitemap: ${SITE}/s.xml`);
  put();
  const map = await mapped();
  expect(paths(map)).toEqual(['/', ...expected]);
  expect(map.sources.at(-1)?.error).toBe(error);
  expect(map.incomplete_because).toBe(error && 'source');
});

test('a bomb in a sitemap is read up to 50 MB', async () => {
  bareSite();
  at('/robots.txt', `Sitemap: ${SITE}/bomb.xml.gz`);
  at('/bomb.xml.gz', gzipSync(`${urlset('/a')}${' '.repeat(60_000_000)}`));
  const map = await mapped();
  expect([paths(map), map.sources.at(-1)?.error]).toEqual([['/', '/a'], 'too_large']);
});

test('a sitemap has 50,000 URLs at most, and their pictures do not count', async () => {
  bareSite();
  const picture = '<image:image><image:loc>https://example.com/a.png</image:loc></image:image>';
  const entries = Array.from(
    { length: 50_001 },
    (_, n) => `<url><loc>${SITE}/${n}</loc>${n < 9 ? picture : ''}</url>`,
  );
  at('/sitemap.xml', `<urlset>${entries.join('')}</urlset>`);
  const map = await mapped({ limit: 100_000 });
  expect([map.total, map.incomplete_because, map.sources.at(-1)]).toMatchObject([
    50_001,
    'source',
    { urls: 50_000, error: 'too_many_urls' },
  ]);
});

test('one sitemap in all spellings of its host is read once, and an endless list of them is not', async () => {
  bareSite();
  const spellings = ['https://example.com', 'http://example.com', 'https://www.example.com'];
  at('/robots.txt', spellings.map((origin) => `Sitemap: ${origin}/s.xml`).join('\n'));
  at('/s.xml', urlset('/a'));
  expect((await mapped()).sources.filter(({ type }) => type === 'sitemap')).toHaveLength(1);
  at('/robots.txt', Array.from({ length: 1_100 }, (_, n) => `Sitemap: ${SITE}/${n}.xml`).join('\n'));
  const map = await mapped();
  expect([map.incomplete_because, map.sources.length]).toEqual(['files', 1_002]);
});

test('an index without end does not fill the memory with what it leads to', async () => {
  bareSite();
  at('/robots.txt', `Sitemap: ${SITE}/i.xml`);
  const [own, foreign] = [SITE, 'https://other.example'].map((origin) =>
    Array.from({ length: 20_000 }, (_, n) => `${origin}/${n}.xml`),
  );
  at('/i.xml', index(...(own ?? []), ...(foreign ?? [])));
  const map = await mapped();
  expect([map.incomplete_because, map.sources.length]).toEqual(['files', 2_000]);
});

test('a redirect to another host makes that the site, by its own robots.txt', async () => {
  const other = 'https://shop.example';
  bareSite();
  at('/', html('<a href="/a">A</a><a href="/b">B</a>'), {
    contentType: 'text/html',
    url: `${other}/`,
    redirects: 1,
  });
  at(`${other}/robots.txt`, 'User-agent: *\nDisallow: /b\nSitemap: /s.xml');
  at(`${other}/s.xml`, `<urlset><url><loc>${other}/c</loc></url></urlset>`);
  const map = await mapped();
  expect(map.urls.map((each) => each.url)).toEqual([`${other}/`, `${other}/a`, `${other}/c`]);
});

test('www and the scheme are one once a redirect proves it', async () => {
  bareSite();
  const links = '<a href="http://example.com/a">A</a><a href="https://www.example.com/a">A</a>';
  at('/', html(links), { contentType: 'text/html', url: 'https://www.example.com/', redirects: 1 });
  const proved = await mapped({ url: `${SITE}/` });
  expect(proved.urls.map((each) => each.url)).toEqual([
    'https://www.example.com/',
    'http://example.com/a',
    'https://www.example.com/a',
  ]);
  const links2 = links.replace('http:', 'https:');
  at('/', html(links2), { contentType: 'text/html', url: 'https://www.example.com/', redirects: 1 });
  expect((await mapped()).total).toBe(2);
});

test('a host that redirects to another one is a site of its own', async () => {
  const other = 'https://blog.example.com';
  bareSite();
  at('/', html(`<a href="${SITE}/a">A</a><a href="${other}/a">A</a>`), {
    contentType: 'text/html',
    url: `${other}/`,
    redirects: 1,
  });
  missing(`${other}/robots.txt`);
  const { urls } = await mapped({ scope: 'domain' });
  expect(urls.map((each) => each.url)).toEqual([`${other}/`, `${SITE}/a`, `${other}/a`]);
});

test('a page is not read if it redirects to where robots.txt disallows it', async () => {
  bareSite();
  at('/robots.txt', LISTED, { contentType: 'text/plain' });
  at('/', html('<a href="/b">B</a>'), { contentType: 'text/html', url: `${SITE}/private/`, redirects: 1 });
  at('/sitemap.xml', urlset('/c'));
  const map = await mapped();
  expect([paths(map), map.sources[1]?.error, map.incomplete_because]).toEqual([
    ['/c', '/open'],
    'robots',
    'robots',
  ]);
});

test('feeds and guessed sitemaps that robots.txt disallows are not requested', async () => {
  bareSite('', '<link rel="alternate" type="application/rss+xml" href="/feed">');
  at('/robots.txt', 'User-agent: *\nDisallow: /feed\nDisallow: /sitemap');
  at('/feed', `<rss><channel><item><link>${SITE}/a</link></item></channel></rss>`);
  at('/sitemap.xml', urlset('/b'));
  const map = await mapped();
  expect([paths(map), map.incomplete_because]).toEqual([['/'], 'robots']);
  expect(map.sources.slice(2)).toEqual([{ url: `${SITE}/feed`, type: 'feed', error: 'robots' }]);
});

test('a robots.txt behind too many redirects allows everything', async () => {
  bareSite(LINKS);
  world.web[`${SITE}/robots.txt`] = new AppError('too_many_redirects');
  expect(paths(await mapped())).toEqual(['/', '/private/a', '/b']);
});

test('a page where a sitemap is guessed is no source', async () => {
  bareSite();
  at('/sitemap.xml', html('<a href="/a">A</a>'), { contentType: 'text/html' });
  const map = await mapped();
  expect([paths(map), map.complete, map.sources.length]).toEqual([['/'], true, 2]);
});

test('of the feeds of a page, ten are read', async () => {
  const feeds = Array.from({ length: 12 }, (_, n) => `/feed/${n}`);
  const links = feeds.map((path) => `<link rel="alternate" type="application/atom+xml" href="${path}">`);
  bareSite('', links.join(''));
  feeds.forEach((path) => at(path, '<feed></feed>'));
  const { sources } = await mapped();
  expect(sources.filter(({ type }) => type === 'feed')).toHaveLength(10);
});

test('files that are on their way are given up once the limit is reached', async () => {
  bareSite();
  at('/robots.txt', `Sitemap: ${SITE}/s.xml\nSitemap: ${SITE}/slow.xml`);
  at('/s.xml', urlset('/a', '/b'));
  const given: AbortSignal[] = [];
  world.web[`${SITE}/slow.xml`] = (signal) => {
    given.push(signal);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  };
  await mapped({ limit: 2 });
  expect(given.map(({ aborted }) => aborted)).toEqual([true]);
});

test('hosts of a domain are read by their own robots.txt, twenty at most', async () => {
  const hosts = Array.from({ length: 25 }, (_, n) => `https://h${n}.example.com`);
  bareSite(hosts.map((host) => `<a href="${host}/a">A</a>`).join(''));
  hosts.forEach((host) => at(`${host}/robots.txt`, host.includes('h3.') ? 'User-agent: *\nDisallow: /' : ''));
  const map = await mapped({ scope: 'domain' });
  expect([map.total, map.left_out, map.incomplete_because]).toEqual([1 + 18, { robots: 7 }, 'robots']);
});

test.each([
  [
    'a bot wall',
    page('<title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/x"></script>', {
      status: 403,
    }),
    'bot_wall',
  ],
  ['an error', page('<a href="/a">A</a>', { status: 500 }), 'status'],
])('the links of %s do not count as links of the site', async (_, answer, error) => {
  bareSite();
  world.web[url] = { ...answer, url };
  at('/sitemap.xml', urlset('/b'));
  const map = await mapped();
  expect([paths(map), map.sources[1]?.error, map.incomplete_because]).toEqual([['/b'], error, 'source']);
});

test('a page that is a sitemap or feed itself is read as such, and a document has no links', async () => {
  bareSite();
  at('/', urlset('/a'));
  expect(paths(await mapped())).toEqual(['/a']);
  at('/', '%PDF-1.7', { contentType: 'application/pdf' });
  expect(paths(await mapped())).toEqual(['/']);
});

test.each([
  ['no url', { url: undefined }, 'url'],
  ['a private url', { url: 'http://10.0.0.1/' }, 'url'],
  ['a wrong scope', { scope: 'any' }, 'scope'],
  ['a large limit', { limit: 100_001 }, 'limit'],
  ['a long timeout', { timeout: 120_001 }, 'timeout'],
  ['a glob without a slash', { include: ['/a', '/b', '*', 'blog'] }, 'include[3]'],
  ['a glob that is no text', { exclude: [1] }, 'exclude[0]'],
  ['a wrong query', { query: 'some' }, 'query'],
  ['a wrong parameter', { query: { drop: ['a&b'] } }, 'query.drop[0]'],
  ['a wrong robots', { robots: 'no' }, 'robots'],
  ['an unknown field', { max_depth: 3 }, 'max_depth'],
])('%s is a 400 that names the field, and free', async (_, fields, param) => {
  const answer = await service.post(MAP, key, { url, ...fields });
  expect([answer.status, answer.json.param]).toEqual([400, param]);
  expect(answer.headers).toMatchObject({ 'X-Credits-Used': '0', 'X-Credits-Reason': 'refused' });
});

test('a host that resolves to a private address is refused, also with robots obeyed', async () => {
  for (const path of ['/', '/robots.txt'])
    world.web[new URL(path, SITE).href] = new AppError('url_not_allowed', { fields: { reason: 'private' } });
  for (const robots of ['obey', 'report']) {
    const { status, json } = await service.post(MAP, key, { url, robots });
    expect([status, json.code]).toEqual([400, 'url_not_allowed']);
  }
  const { credits, slots } = await usage();
  expect([credits.used, slots.inUse]).toEqual([0, {}]);
});

test('a page or robots.txt that redirects to a private address is only missing', async () => {
  bareSite();
  at('/sitemap.xml', urlset('/a'));
  const answer = new AppError('url_not_allowed', { fields: { reason: 'redirect' } });
  world.web[url] = answer;
  const map = await mapped();
  expect([paths(map), map.sources[1]?.error, map.incomplete_because]).toEqual([
    ['/a'],
    'url_not_allowed',
    'source',
  ]);
  world.web[`${SITE}/robots.txt`] = answer;
  expect(await mapped()).toMatchObject({ urls: [], incomplete_because: 'unreachable' });
});

test('a map needs a credit and a slot', async () => {
  bareSite();
  await asNewOrganization({ overrides: { credits: 0 } });
  expect((await service.post(MAP, key, { url })).json.code).toBe('insufficient_credits');
  await asNewOrganization({ overrides: { concurrency: 1 } });
  const robots = Promise.withResolvers<Page>();
  world.web[`${SITE}/robots.txt`] = () => robots.promise;
  const first = service.post(MAP, key, { url });
  await expect.poll(async () => Object.keys((await usage()).slots.inUse).length).toBe(1);
  const second = await service.post(MAP, key, { url });
  expect([second.status, second.json.code]).toEqual([429, 'too_many_concurrent']);
  robots.resolve(page('', { status: 404 }));
  expect((await first).status).toBe(200);
  expect((await service.post(MAP, key, { url })).status).toBe(200);
});

test.each([
  [{ routes: ['jobs' as const] }, 403],
  [{ routes: ['scrape' as const] }, 200],
  [{ formats: ['markdown'] }, 403],
  [{ formats: ['links'] }, 200],
  [{ creditsPerDay: 0 }, 403],
])('a key with the restrictions %j gets %i', async (restrictions, status) => {
  bareSite();
  const { api_key: restricted } = await createKey(world, { orgId, name: 'shop', mode: 'live', restrictions });
  expect((await service.post(MAP, restricted, { url })).status).toBe(status);
});

test('an Idempotency-Key is refused, as for any call that is charged at once', async () => {
  const answer = await service.post(MAP, key, { url }, { 'Idempotency-Key': 'a' });
  expect([answer.status, answer.json.param]).toEqual([400, 'Idempotency-Key']);
});
