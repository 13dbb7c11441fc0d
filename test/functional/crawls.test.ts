import { expect, test } from 'vitest';
import type { LedgerLine } from '../../shared/contract/crawls/crawl.ts';
import type { Page } from '../../shared/contract/scrape/page.ts';
import { AppError } from '../../shared/errors.ts';
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

const CRAWLS = '/api/v1/crawls';
const SITE = 'https://example.com';

newServiceEachTest({ overrides: { rpm: 10_000, readsPerMinute: 10_000, concurrency: 5 } });

const at = (path: string, body: string, rest: Partial<Page> = {}) => {
  const url = new URL(path, SITE).href;
  world.web[url] = {
    ...page('', { contentType: 'text/html', url, ...rest }),
    body: Buffer.from(body),
  };
};
const words = 'A page with enough words that nobody takes it for an empty one, about shoes and shops.';
const linked = (name: string, ...paths: string[]) =>
  at(
    name,
    `<!doctype html><title>${name}</title><p>${words} This is ${name}.</p>${paths
      .map((path) => `<a href="${path}">${path}</a>`)
      .join(' ')}`,
  );

/** Without robots.txt and sitemaps, unless they are replaced. */
function site() {
  for (const path of ['/robots.txt', '/sitemap.xml', '/sitemap_index.xml'])
    at(path, 'Not found', { status: 404, contentType: 'text/plain' });
  linked('/', '/a', '/b', 'https://other.example/');
  linked('/a', '/a/1', '/a/2', '/');
  linked('/b', '/b/private', '/b/gone', '/b/broken', '/b/busy');
  linked('/a/1');
  linked('/a/2');
  linked('/b/private');
  at('/b/gone', `<p>${words}</p>`, { status: 404 });
  at('/b/busy', `<p>${words}</p>`, { status: 500 });
  world.web[`${SITE}/b/broken`] = new AppError('connect_failed');
}

type Shown = {
  status: string;
  stop_reason?: string;
  counts: Record<string, number>;
  credits_used: number;
  completed_at?: string;
  hosts: object[];
};
const show = async (id: string) => (await service.ask(`${CRAWLS}/${id}`, { key })).json as unknown as Shown;

async function submit(fields: object = {}) {
  const { status, json, text } = await service.post(CRAWLS, key, { url: `${SITE}/`, ...fields });
  expect([status, text]).toEqual([202, text]);
  return String(json['crawl_id']);
}

/** Works until the crawl has ended, with the sums of its counts checked at each step. */
async function finished(id: string) {
  for (let step = 0; step < 200; step++) {
    const shown = await show(id);
    const { discovered = NaN, ...counts } = shown.counts;
    expect(Object.values(counts).reduce((sum, each) => sum + each, 0)).toBe(discovered);
    const lines = await ledger(id);
    const { pending = 0, running = 0 } = counts;
    expect(lines).toHaveLength(discovered - pending - running);
    if (shown.completed_at !== undefined) return shown;
    await service.work();
    await service.sweep();
    world.pass(5_000);
    await service.sweepBacklogs();
  }
  throw new Error('The crawl does not end.');
}

const linesOf = <T>(text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
const ledger = async (id: string, query = '') =>
  linesOf<LedgerLine>((await service.ask(`${CRAWLS}/${id}/urls${query}`, { key })).text);
type Result = Record<string, unknown> & { url: string; crawl: object };
async function results(id: string) {
  const all: Result[] = [];
  for (let next: string | undefined = `${CRAWLS}/${id}/results?include=body`; next !== undefined;) {
    const { text, headers } = await service.ask(next, { key });
    all.push(...linesOf<Result>(text));
    [, next] = /^<([^>]+)>; rel="next"$/.exec(headers['Link'] ?? '') ?? [];
  }
  return all;
}
const outcomes = (lines: readonly LedgerLine[]) =>
  Object.fromEntries(lines.map(({ url, outcome }) => [url.replace(SITE, ''), outcome]));

test('a crawl follows links, and says what became of each URL', async () => {
  site();
  const id = await submit();
  const shown = await finished(id);
  expect(shown).toMatchObject({ status: 'completed', stop_reason: 'done', credits_used: 7 });
  expect(shown.counts).toMatchObject({ discovered: 10, page: 7, failed: 2, out_of_scope: 1 });
  const lines = await ledger(id);
  expect(outcomes(lines)).toEqual({
    ...{ '/': 'page', '/a': 'page', '/b': 'page', '/a/1': 'page', '/a/2': 'page' },
    ...{ '/b/private': 'page', '/b/gone': 'page', '/b/broken': 'failed', '/b/busy': 'failed' },
    'https://other.example/': 'out_of_scope',
  });
  expect(lines.find(({ url }) => url === `${SITE}/b/broken`)).toEqual({
    ...{ url: `${SITE}/b/broken`, outcome: 'failed', depth: 2, via: 'link', found_on: `${SITE}/b` },
    error_code: 'connect_failed',
  });
  const found = await results(id);
  expect(found.map(({ url }) => url).sort()).toEqual(
    lines
      .filter(({ outcome }) => ['page', 'failed'].includes(outcome))
      .map(({ url }) => url)
      .sort(),
  );
  expect(found.find(({ url }) => url === `${SITE}/a/1`)).toMatchObject({
    ...{ crawl_id: id, crawl: { depth: 2, found_on: `${SITE}/a` }, credits_used: 1 },
    body: expect.stringContaining('This is /a/1') as string,
  });
  expect(found.every((line) => !('batch_id' in line))).toBe(true);
  expect((await ledger(id, '?outcome=failed')).map(({ url }) => url).sort()).toEqual([
    `${SITE}/b/broken`,
    `${SITE}/b/busy`,
  ]);
  expect((await usage()).credits.available).toBe(1_000 - 7);
});

test('robots.txt and sitemaps decide what is requested, and cost nothing', async () => {
  site();
  at('/robots.txt', `User-agent: *\nDisallow: /b/\nCrawl-delay: 1\nSitemap: ${SITE}/map.xml`, {
    contentType: 'text/plain',
  });
  at('/map.xml', `<urlset><url><loc>${SITE}/deep</loc><lastmod>2026-11-20</lastmod></url></urlset>`, {
    contentType: 'application/xml',
  });
  linked('/deep');
  const id = await submit();
  const shown = await finished(id);
  expect(shown).toMatchObject({ stop_reason: 'done', credits_used: 6 });
  expect(shown.counts).toMatchObject({ page: 6, robots: 4, out_of_scope: 1 });
  expect(shown.hosts).toMatchObject([
    {
      ...{ robots: 'found', robots_status: 200, crawl_delay: 1 },
      sitemaps: [{ url: `${SITE}/map.xml`, status: 200, urls: 1 }],
    },
  ]);
  expect((await ledger(id)).find(({ url }) => url === `${SITE}/deep`)).toMatchObject({
    ...{ depth: 1, via: 'sitemap', found_on: `${SITE}/map.xml`, lastmod: '2026-11-20' },
  });
});

test('a page to begin at that robots.txt forbids ends the crawl for free', async () => {
  site();
  at('/robots.txt', 'User-agent: *\nDisallow: /', { contentType: 'text/plain' });
  const shown = await finished(await submit());
  expect(shown).toMatchObject({ status: 'completed', stop_reason: 'robots', credits_used: 0 });
});

test('a site that does not answer is unreachable', async () => {
  for (const path of ['/', '/robots.txt', '/sitemap.xml', '/sitemap_index.xml'])
    world.web[`${SITE}${path}`] = new AppError('dns_failed');
  expect(await finished(await submit())).toMatchObject({ stop_reason: 'unreachable', credits_used: 0 });
});

test('limit, depth and globs leave URLs out, with their own outcomes', async () => {
  site();
  const few = await finished(await submit({ limit: 2 }));
  expect(few).toMatchObject({ stop_reason: 'limit', credits_used: 2 });
  expect(few.counts).toMatchObject({ page: 2, limit: few.counts['limit'] });
  const flat = await submit({ max_depth: 1 });
  expect((await finished(flat)).counts).toMatchObject({ page: 3, depth: 6 });
  const part = await submit({ include: ['/a/*'], exclude: ['/a/2'] });
  await finished(part);
  expect(outcomes(await ledger(part))).toMatchObject({ '/': 'page', '/a': 'excluded' });
});

test('a balance of four crawls four pages, and stops', async () => {
  await asNewOrganization({ overrides: { credits: 4, rpm: 1_000, readsPerMinute: 10_000 } });
  site();
  const shown = await finished(await submit());
  expect(shown).toMatchObject({ stop_reason: 'max_credits', credits_used: 4 });
  expect(shown.counts['page']).toBe(4);
  expect(shown.counts['budget']).toBeGreaterThan(0);
});

test('max_credits stops a crawl before it costs more', async () => {
  site();
  const shown = await finished(await submit({ max_credits: 3 }));
  expect(shown).toMatchObject({ stop_reason: 'max_credits', credits_used: 3 });
});

test('duplicates are given back, and are no results', async () => {
  site();
  linked('/', '/same', '/copy', '/moved');
  at('/same', `<p>${words} The same.</p>`);
  at('/copy', `<p>${words} The same.</p>`);
  at('/moved', `<p>${words} The same.</p>`, { url: `${SITE}/same`, redirects: 1 });
  const id = await submit();
  const shown = await finished(id);
  expect(shown).toMatchObject({ credits_used: 2, counts: { page: 2, duplicate: 2 } });
  const duplicates = await ledger(id, '?outcome=duplicate');
  expect(duplicates.map((each) => each.same_as)).toEqual([`${SITE}/same`, `${SITE}/same`]);
  expect((await results(id)).map(({ url }) => url).sort()).toEqual([`${SITE}/`, `${SITE}/same`]);
  expect((await usage()).credits.available).toBe(998);
  const { json } = await service.ask('/api/v1/account/usage', { key });
  expect(json['data']).toMatchObject([{ kind: 'plain', credits: 2, reasons: { page: 2, duplicate: 2 } }]);
});

test('a browser that was redirected to a disallowed page delivers nothing', async () => {
  site();
  linked('/', '/moved');
  at('/robots.txt', 'User-agent: *\nDisallow: /hidden', { contentType: 'text/plain' });
  at('/moved', `<p>${words} Hidden.</p>`, { url: `${SITE}/hidden/a`, redirects: 1 });
  const id = await submit({ request: { render_js: true } });
  const shown = await finished(id);
  expect(shown).toMatchObject({ credits_used: 5, counts: { page: 1, robots: 2, failed: 0 } });
  const robots = await ledger(id, '?outcome=robots');
  expect(robots.map(({ url, via }) => [url, via])).toEqual([
    [`${SITE}/moved`, 'link'],
    [`${SITE}/hidden/a`, 'redirect'],
  ]);
  expect((await results(id)).map(({ url }) => url)).toEqual([`${SITE}/`]);
});

test('a cancelled crawl ends, with what waited as cancelled', async () => {
  site();
  const id = await submit();
  await service.work();
  await service.ask(`${CRAWLS}/${id}/cancel`, { method: 'POST', key });
  const shown = await finished(id);
  expect(shown).toMatchObject({ status: 'cancelled', stop_reason: 'cancelled' });
  expect(shown.counts['pending']).toBe(0);
});

test('a retry requests what failed, and nothing that was there', async () => {
  site();
  const first = await submit();
  await finished(first);
  linked('/b/broken', '/', '/b/new');
  linked('/b/new');
  const { json } = await service.post(`${CRAWLS}/${first}/retry_failed`, key, undefined);
  const second = String(json['crawl_id']);
  expect(await finished(second)).toMatchObject({ stop_reason: 'done', retry_of: first });
  expect(outcomes(await ledger(second))).toEqual({ '/b/broken': 'page', '/b/new': 'page' });
  const again = await service.post(`${CRAWLS}/${second}/retry_failed`, key, undefined);
  expect(again.json['code']).toBe('nothing_to_retry');
});

test('a crawl of what has changed leaves out what has not', async () => {
  site();
  const first = await submit();
  await finished(first);
  const pages = Object.keys(world.web).length;
  expect(pages).toBeGreaterThan(8);
  const second = await submit({ changed_since: first });
  const shown = await finished(second);
  expect(shown.counts['discovered']).toBe(10);
});

test('the end of a crawl is one event', async () => {
  site();
  const hook = 'https://hooks.example/crawls';
  world.answers[hook] = 204;
  const id = await submit({ webhook: hook });
  await finished(id);
  await service.work();
  await service.notify();
  const bodies = world.received
    .filter(({ url }) => url === hook)
    .map(({ body }) => JSON.parse(body) as object);
  expect(bodies).toMatchObject([
    { type: 'crawl.completed', data: { crawl_id: id, counts: { page: 7 }, credits_used: 7 } },
  ]);
});

test('crawls of organizations do not mix', async () => {
  site();
  const one = await submit();
  const owner = { key, orgId };
  await asNewOrganization({ overrides: { rpm: 1_000, readsPerMinute: 10_000 } });
  const other = await submit({ max_depth: 0 });
  await finished(other);
  expect(outcomes(await ledger(other))).toMatchObject({ '/': 'page', '/a': 'depth' });
  expect((await service.ask(`${CRAWLS}/${one}`, { key })).status).toBe(404);
  expect((await service.ask(`${CRAWLS}/${one}`, { key: owner.key })).status).toBe(200);
});
