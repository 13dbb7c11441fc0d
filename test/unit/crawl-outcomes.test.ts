import { expect, test } from 'vitest';
import type { Crawl, LedgerLine } from '../../shared/contract/crawls/crawl.ts';
import { crawled, crawlLife } from '../support/life/crawl-life.ts';
import { type RandomWeb, webOf } from '../support/life/random-web.ts';

const HOUR_MS = 3_600_000;

async function ledgerOf(web: RandomWeb, wanted: Partial<Crawl['request']> = {}) {
  const life = await crawlLife(web, 0);
  const id = await life.begin(wanted);
  const ledger = await crawled(life, id);
  return { life, id, ledger, crawl: await life.find(id), outcomes: outcomesIn(ledger) };
}

/** Outcomes by path, or by URL at other origins; with the page that a duplicate is the same as. */
function outcomesIn(ledger: readonly LedgerLine[]): Record<string, string> {
  const short = (url: string) => url.replace('https://a.example', '');
  return Object.fromEntries(
    ledger.map(({ url, outcome, same_as: same }) => [
      short(url),
      same ? `${outcome} of ${short(same)}` : outcome,
    ]),
  );
}

test('a redirect into a known page, the same bytes and a known canonical are duplicates', async () => {
  const web = webOf({
    '/': { links: ['/a', '/moved', '/same', '/print', '/new'] },
    '/a': { links: ['/b'] },
    '/moved': { redirectsTo: '/a' },
    '/same': { bytes: 'page /a', links: ['/not-followed'] },
    '/print': { canonical: '/a', links: ['/of-print'] },
    '/new': { redirectsTo: '/target' },
    '/target': {},
  });
  const { outcomes, life, crawl } = await ledgerOf(web);
  expect(outcomes).toMatchObject({
    ...{ '/': 'page', '/a': 'page', '/b': 'failed', '/moved': 'duplicate of /a', '/same': 'duplicate of /a' },
    ...{ '/print': 'duplicate of /a', '/of-print': 'failed', '/new': 'page', '/target': 'duplicate of /new' },
  });
  expect(outcomes).not.toHaveProperty('/not-followed');
  expect([crawl.credits, crawl.asked]).toEqual([3, 8]);
  expect((await life.manifest(crawl.id)).waves.flatMap(({ dropped = [] }) => dropped)).toHaveLength(3);
});

test('a crawl counts what the links of its pages weigh in a merge, a menu once in each', async () => {
  const menu = Array.from({ length: 40 }, (_, n) => `/${n}`);
  const web = webOf({
    '/': { links: menu },
    ...Object.fromEntries(menu.map((path) => [path, { links: menu }])),
  });
  const { life, id } = await ledgerOf(web);
  const { links, linked } = await life.manifest(id);
  // Of the first wave all, and of the second one the menu and an eighth of the 39 others like it.
  expect({ links, linked }).toEqual({ links: 40 + 40 + (39 * 40) / 8, linked: 41 });
});

test.each(['redirectsTo', 'canonical'] as const)(
  'of pages that lead to each other by %s one stays',
  async (by) => {
    const lead = (to: string) => ({ [by]: to });
    const web = webOf({
      '/': { links: ['/1', '/2', '/3'] },
      ...{ '/1': lead('/2'), '/2': lead('/3'), '/3': lead('/1') },
    });
    if (by === 'redirectsTo') {
      // As with cookies: each of them ends at the next one.
      for (const [url, page] of web.pages) if (page.redirectsTo) web.pages.set(url, { ...page, bytes: url });
    }
    const { outcomes } = await ledgerOf(web);
    expect(Object.values(outcomes).filter((outcome) => outcome === 'page')).toHaveLength(2);
  },
);

test('http and www are the same site once a redirect says so', async () => {
  const old = (path: string) => `http://www.a.example${path}`;
  const web = webOf({
    [old('/')]: { redirectsTo: '/' },
    '/': { links: ['/a', old('/a'), old('/b'), '/b', '/c'] },
    ...{ '/a': { links: [old('/c'), old('/d')] }, '/b': {}, '/c': {}, '/d': {} },
    ...Object.fromEntries(['/a', '/b', '/c', '/d'].map((path) => [old(path), { redirectsTo: path }])),
  });
  web.files.set('https://www.a.example/robots.txt', '');
  const { life, outcomes } = await ledgerOf(web);
  expect(outcomes).toMatchObject({ '/a': 'page', '/c': 'page', [old('/d')]: 'page' });
  expect(life.requested).toEqual(expect.arrayContaining(['https://a.example/a', old('/d')]));
  expect(life.requested).not.toContain(old('/c'));
  expect(life.requested.filter((url) => url.endsWith('/a'))).toHaveLength(1);
});

test('what is left out has the first reason that holds', async () => {
  const web = webOf(
    {
      '/': { links: ['/private/1', '/x/x/x', `/${'l'.repeat(2_048)}`, 'https://other.test/', '/no', '/a'] },
      '/a': { links: ['/b'] },
      '/b': { links: ['/c'] },
    },
    { '/robots.txt': 'User-agent: *\nDisallow: /private' },
  );
  const { outcomes, crawl } = await ledgerOf(web, { exclude: ['/no*', '/'], maxDepth: 2 });
  const { [`/${'l'.repeat(2_048)}`]: long, ...others } = outcomes;
  expect(long).toBe('too_long');
  expect(others).toEqual({
    ...{ '/': 'page', '/private/1': 'robots', '/x/x/x': 'trap', 'https://other.test/': 'out_of_scope' },
    ...{ '/no': 'excluded', '/a': 'page', '/b': 'page', '/c': 'depth' },
  });
  expect(crawl.stopReason).toBe('done');
});

test.each([
  ['first', ['http://a.example/', 'https://a.example/']],
  ['last', ['https://a.example/', 'http://a.example/']],
])('the robots.txt of a host is read by the scheme that answers, of seeds the %s', async (_, urls) => {
  const web = webOf({ [urls.toSorted()[0] ?? '']: {} });
  web.files.set('http://a.example/robots.txt', 'User-agent: *');
  const { ledger, crawl } = await ledgerOf(web, { urls });
  const outcomes = Object.fromEntries(ledger.map(({ url, outcome }) => [url, outcome]));
  expect(outcomes).toEqual({ 'http://a.example/': 'page', 'https://a.example/': 'failed' });
  expect(crawl.stopReason).toBe('done');
});

test('with robots report, disallowed URLs are requested and marked', async () => {
  const web = webOf(
    { '/': { links: ['/private'] }, '/private': {} },
    { '/robots.txt': 'User-agent: *\nDisallow: /p' },
  );
  const { ledger } = await ledgerOf(web, { robots: 'report' });
  expect(ledger[1]).toMatchObject({ outcome: 'page', disallowed: true });
});

test.each([
  ['robots', webOf({ '/': {} }, { '/robots.txt': 'User-agent: *\nDisallow: /' }), 'robots'],
  ['unreachable', webOf({ '/': {} }, {}), 'robots'],
  ['unreachable', webOf({ '/other': {} }), 'failed'],
])('a crawl whose seed brings nothing stops with %s', async (stopReason, web, outcome) => {
  const { ledger, crawl } = await ledgerOf({ ...web, seed: 'https://a.example/' });
  expect(ledger.map((line) => line.outcome)).toEqual([outcome]);
  expect(crawl).toMatchObject({ status: 'completed', stopReason, credits: 0 });
});

function wideOf(length: number): RandomWeb {
  const web = webOf({ '/': { links: Array.from({ length }, (_, n) => `/${n}`) } });
  for (let n = 0; n < length; n += 1)
    web.pages.set(`https://a.example/${n}`, { status: 200, links: [], bytes: `${n}` });
  return web;
}
const wide = wideOf(90);

test('the limit leaves out what is found later, and then everything is a trap', async () => {
  const { crawl, ledger } = await ledgerOf(wide, { limit: 3 });
  expect(crawl).toMatchObject({ outcomes: { page: 3, limit: 57, trap: 31 }, stopReason: 'limit', asked: 3 });
  expect(ledger).toHaveLength(91);
});

test('URLs that wait for another attempt count towards the limit', async () => {
  const web = webOf({
    '/': { links: ['/flaky', '/a'] },
    ...{ '/flaky': { faults: 1 }, '/a': { links: ['/b'] }, '/b': {} },
  });
  const { outcomes, crawl } = await ledgerOf(web, { limit: 3 });
  expect(outcomes).toEqual({ '/': 'page', '/flaky': 'page', '/a': 'page', '/b': 'limit' });
  expect(crawl.asked).toBe(3);
});

test('a cancel and a deadline end what waits', async () => {
  for (const [outcome, stop] of [
    ['cancelled', async (life: Awaited<ReturnType<typeof crawlLife>>, id: string) => life.cancel(id)],
    [
      'deadline',
      (life: Awaited<ReturnType<typeof crawlLife>>) => {
        life.pass(25 * HOUR_MS);
        return Promise.resolve();
      },
    ],
  ] as const) {
    const life = await crawlLife(wideOf(140), 0);
    const id = await life.begin({ limit: 1_000 });
    await life.plan(id);
    await life.runWave(id);
    await life.plan(id);
    await stop(life, id);
    await life.runWave(id);
    await crawled(life, id);
    const crawl = await life.find(id);
    expect(crawl).toMatchObject({ stopReason: outcome, queued: 0 });
    expect(crawl.outcomes).toEqual({ page: 101, [outcome]: 40 });
    expect(crawl.status).toBe(outcome === 'cancelled' ? 'cancelled' : 'completed');
  }
});

test('a crawl whose files are gone ends an hour after its deadline', async () => {
  const life = await crawlLife(wide, 0);
  const id = await life.begin({});
  await life.plan(id);
  await life.runWave(id);
  await life.fx.results.remove((await life.find(id)).manifest ?? '');
  await expect(life.plan(id)).rejects.toThrow('gone');
  life.pass(26 * HOUR_MS);
  await life.plan(id);
  expect(await life.find(id)).toMatchObject({ status: 'completed', outcomes: { deadline: 1 }, queued: 0 });
  expect((await life.find(id)).dueAt).toBeUndefined();
});

test('a balance that is used up ends the crawl', async () => {
  const { pages } = wide;
  const life = await crawlLife(wide, 0);
  const id = await life.begin({});
  let left = 11;
  const ledger = await crawled(life, id, 0, ({ url }, line) =>
    (left -= 1) < 0
      ? undefined
      : {
          ...{
            line,
            outcome: 'page',
            credits: 1,
            counter: 'plain_page',
            target_status: 200,
            hash: undefined,
          },
          ...{ fetched_at: '2026-11-26T12:00:00.000Z', links: pages.get(url)?.links ?? [] },
        },
  );
  expect(ledger).toHaveLength(91);
  expect(await life.find(id)).toMatchObject({
    outcomes: { page: 11, budget: 80 },
    stopReason: 'max_credits',
    credits: 11,
  });
});

test('what a crawl gives back comes to the balance once', async () => {
  const web = webOf({ '/': { links: ['/a', '/b'] }, '/a': { bytes: 'same' }, '/b': { bytes: 'same' } });
  const life = await crawlLife(web, 0);
  const { orgId, fx } = life;
  const organization = await fx.organizations.find(orgId);
  if (organization === undefined) throw new Error('There is no organization.');
  const slot = { id: 'any', until: new Date(Date.parse('2026-11-27')) };
  await fx.usage.admit(organization, { credits: 3, slot }, fx.now());
  await fx.usage.settle(
    organization,
    { slotId: 'any', held: 3, ended: { charged: 3, counts: { plain_page: 3 } } },
    fx.now(),
  );
  await crawled(life, await life.begin({}));
  const { credits } = await fx.usage.read(organization, fx.now());
  expect(credits.used).toBe(2);
  expect(credits.days[credits.day]).toMatchObject({ plain_page: 2, plain_duplicate: 1 });
});

test('workers keep the delay of a host to the files that the crawl has read there', async () => {
  const web = webOf({ '/': {} }, { '/robots.txt': 'User-agent: *\nCrawl-delay: 20\n' });
  const life = await crawlLife(web, 0);
  const id = await life.begin({});
  await life.plan(id);
  const host = await life.world.targetHosts.find('a.example');
  expect(host?.crawls[id]).toMatchObject({ nextAt: life.fx.now().getTime() + 20_000, places: {} });
});
