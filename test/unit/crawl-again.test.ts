import { expect, test } from 'vitest';
import { crawled, crawlLife, foundAt } from '../support/life/crawl-life.ts';
import { webOf } from '../support/life/random-web.ts';

test('a retry requests what failed, and follows only what is new beside the earlier crawl', async () => {
  const web = webOf({ '/': { links: ['/a', '/broken'] }, '/a': {}, '/broken': { status: 500 } });
  const life = await crawlLife(web, 0);
  const first = await life.begin({});
  await crawled(life, first);
  expect((await life.find(first)).outcomes).toEqual({ page: 2, failed: 1 });
  const mended = { status: 200, links: ['https://a.example/', 'https://a.example/more'], bytes: 'mended' };
  web.pages.set('https://a.example/broken', mended);
  web.pages.set('https://a.example/more', { ...mended, bytes: 'more' });
  const retry = await life.begin({ retryOf: first, retryInclude: ['target_status'] });
  const ledger = await crawled(life, retry);
  expect(ledger.map(({ url, outcome, depth, via }) => [new URL(url).pathname, outcome, depth, via])).toEqual([
    ['/broken', 'page', 1, 'link'],
    ['/more', 'page', 2, 'link'],
  ]);
  expect(await life.ledger(first)).toHaveLength(3);
});

test('a retry of nothing ends at once', async () => {
  const life = await crawlLife(webOf({ '/': {} }), 0);
  const first = await life.begin({});
  await crawled(life, first);
  const retry = await life.begin({ retryOf: first });
  expect(await crawled(life, retry)).toEqual([]);
  expect(await life.find(retry)).toMatchObject({ status: 'completed', stopReason: 'done' });
});

test('pages that have not changed are not fetched again, and what they lead to is found all the same', async () => {
  const lastmod = (day: string) =>
    `<urlset><url><loc>https://a.example/old</loc><lastmod>${day}</lastmod></url></urlset>`;
  const web = webOf(
    {
      '/': { links: ['/same', '/changed'], lastModified: 'monday' },
      '/same': { links: ['/deep'], lastModified: 'monday' },
      '/changed': { lastModified: 'monday', links: ['/gone'] },
      '/old': { links: ['/older'] },
      ...{ '/deep': {}, '/older': {}, '/gone': {}, '/fresh': {} },
    },
    { '/robots.txt': '', '/sitemap.xml': lastmod('2026-11-20') },
  );
  const life = await crawlLife(web, 0);
  const first = await life.begin({});
  await crawled(life, first);
  life.pass(3_600_000);
  const changed = {
    status: 200,
    links: ['https://a.example/fresh'],
    bytes: 'changed',
    lastModified: 'tuesday',
  };
  web.pages.set('https://a.example/changed', changed);
  life.requested.length = 0;
  const again = await life.begin({ changedSince: first });
  const ledger = await crawled(life, again);
  const outcomes = Object.fromEntries(ledger.map(({ url, outcome }) => [new URL(url).pathname, outcome]));
  expect(outcomes).toEqual({
    ...{ '/': 'unchanged', '/same': 'unchanged', '/changed': 'page', '/fresh': 'page' },
    ...{ '/old': 'unchanged', '/deep': 'page', '/older': 'page' },
  });
  expect(life.requested).not.toContain('https://a.example/old');
  expect((await life.find(again)).credits).toBe(6);
});

test('an earlier crawl that is gone is as if there was none', async () => {
  const life = await crawlLife(webOf({ '/': { links: ['/a'] }, '/a': {} }), 0);
  const id = await life.begin({ changedSince: life.world.newId() });
  await crawled(life, id);
  expect((await life.find(id)).outcomes).toEqual({ page: 2 });
});

test('a path whose queries bring no new bytes becomes a trap, and others do not', async () => {
  const links = (path: string, count: number) => Array.from({ length: count }, (_, n) => `${path}?n=${n}`);
  const web = webOf({ '/': { links: [...links('/same', 600), ...links('/new', 600)] } });
  for (const path of ['/same', '/new'])
    for (const [n, url] of links(path, 600).entries())
      web.pages.set(`https://a.example${url}`, {
        status: 200,
        links: [],
        bytes: path === '/same' ? 'same' : `${n}`,
      });
  const later = links('/same', 620)
    .slice(600)
    .map((url) => `https://a.example${url}`);
  web.pages.set('https://a.example/new?n=599', { status: 200, links: later, bytes: 'last' });
  const life = await crawlLife(web, 0);
  const id = await life.begin({ limit: 5_000 });
  await crawled(life, id, 0, foundAt(web));
  const { outcomes } = await life.find(id);
  expect(outcomes.page).toBe(602);
  expect(outcomes.trap).toBeGreaterThanOrEqual(20);
  expect(outcomes.duplicate).toBeGreaterThan(500);
});
