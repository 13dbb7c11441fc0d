import { expect, test } from 'vitest';
import type { LedgerLine } from '../../shared/contract/crawls/crawl.ts';
import type { Found } from '../../shared/contract/crawls/wave.ts';
import { crawled, type CrawlLife, crawlLife, foundAt } from '../support/life/crawl-life.ts';
import { type RandomWeb, webOf } from '../support/life/random-web.ts';
import { type Random, randomOf } from '../support/world/random.ts';

const HOME = 'https://a.example';
/** With these, the first of the seed's links are in its second wave and the last one in its third. */
const OTHERS = Array.from({ length: 99 }, (_, n) => `/${n}`);

type Lead = 'redirectsTo' | 'canonical';

/** A crawl in which `/first` leads to `/late`, which waits in the queue then. */
async function leading(by: Lead, late: Partial<Found> | undefined | 'page') {
  const web = webOf({
    '/': { links: ['/first', ...OTHERS, '/late'] },
    '/first': { [by]: '/late', ...(by === 'canonical' && { links: ['/of-first'] }) },
    ...Object.fromEntries(['/late', '/of-first', '/of-late', ...OTHERS].map((path) => [path, {}])),
  });
  web.pages.set(`${HOME}/late`, { status: 200, links: [`${HOME}/of-late`], bytes: 'late' });
  const answer: ReturnType<typeof foundAt> = (line, number) => {
    const found = foundAt(web)(line, number);
    if (found === undefined || late === 'page' || line.url !== `${HOME}/late`) return found;
    return late && { ...found, credits: 0, ...late };
  };
  const life = await crawlLife(web, 0);
  const id = await life.begin({ limit: 1_000, contentUse: ['ai-train'] });
  return { life, id, answer };
}

const lineOf = (ledger: readonly LedgerLine[], path: string) => ledger.find(({ url }) => url === HOME + path);
const requestsOf = ({ requested }: CrawlLife, path: string) =>
  requested.filter((url) => url === HOME + path).length;

const FAILED = { outcome: 'failed', error_code: 'host_unavailable' } as const;

test.each<[Lead, string, Partial<Found>, LedgerLine['outcome']]>([
  ['redirectsTo', 'fails', FAILED, 'failed'],
  ['canonical', 'fails', FAILED, 'failed'],
  ['redirectsTo', 'is a wall', { outcome: 'failed', verdict: 'bot_wall' }, 'failed'],
  ['canonical', 'leads to what robots.txt disallows', { outcome: 'robots', url: `${HOME}/no` }, 'robots'],
  ['canonical', 'may not be used', { content_usage: 'train-ai=n', credits: 1 }, 'content_use'],
])('a page that %s leads to a URL is no duplicate if that %s', async (by, _what, late, outcome) => {
  const { life, id, answer } = await leading(by, late);
  const ledger = await crawled(life, id, 0, answer);
  expect(lineOf(ledger, '/late')?.outcome).toBe(outcome);
  expect(lineOf(ledger, '/first')).toMatchObject({ outcome: 'page', target_status: 200 });
  expect(lineOf(ledger, '/first')).not.toHaveProperty('same_as');
  expect(lineOf(ledger, by === 'canonical' ? '/of-first' : '/of-late')?.outcome).toBe('page');
  expect(requestsOf(life, '/first')).toBe(2);
  const { credits, outcomes } = await life.find(id);
  expect(credits).toBe(outcomes.page);
});

test.each(['redirectsTo', 'canonical'] as const)(
  'a page that leads by %s to a URL that waits is its duplicate once that is a page',
  async (by) => {
    const { life, id, answer } = await leading(by, 'page');
    const ledger = await crawled(life, id, 0, answer);
    const [first, late] = ['/first', '/late'].map((path) => lineOf(ledger, path));
    expect(late?.outcome).toBe('page');
    expect(first).toMatchObject({ outcome: 'duplicate', same_as: `${HOME}/late`, target_status: 200 });
    expect(requestsOf(life, '/first')).toBe(1);
    const { asked, credits, outcomes } = await life.find(id);
    expect([asked, credits]).toEqual([life.requested.length, outcomes.page]);
  },
);

test('a page that leads to a URL that a cancel leaves out is left out too', async () => {
  const { life, id, answer } = await leading('redirectsTo', 'page');
  for (let wave = 0; wave < 2; wave += 1) {
    await life.plan(id);
    await life.runWave(id, answer);
  }
  await life.plan(id);
  await life.cancel(id);
  const ledger = await crawled(life, id, 0, () => undefined);
  expect(['/first', '/late'].map((path) => lineOf(ledger, path)?.outcome)).toEqual([
    'cancelled',
    'cancelled',
  ]);
  const { credits, outcomes } = await life.find(id);
  expect(credits).toBe(outcomes.page);
});

test('a page whose canonical URL may not be used, in the same wave, is no duplicate', async () => {
  const web = webOf({
    '/': { links: ['/print', '/denied'] },
    ...{ '/print': { canonical: '/denied' }, '/denied': { contentUsage: 'train-ai=n' } },
  });
  const life = await crawlLife(web, 0);
  const ledger = await crawled(life, await life.begin({ contentUse: ['ai-train'] }));
  expect(lineOf(ledger, '/denied')?.outcome).toBe('content_use');
  expect(lineOf(ledger, '/print')?.outcome).toBe('page');
});

/** Pages that lead to each other at random. */
function tangle(random: Random): RandomWeb {
  const paths = Array.from({ length: 120 }, (_, n) => `/${n}`);
  const lead = () => ({ [random.of(['redirectsTo', 'canonical'])]: random.of(paths) });
  const pages = paths.map((path) => [path, random.chance(0.5) ? lead() : {}] as const);
  return webOf({ '/': { links: paths }, ...Object.fromEntries(pages) });
}

test.each([1, 2, 3, 4])('every duplicate of tangle %i is the same as a page that came', async (seed) => {
  const web = tangle(randomOf(seed));
  // By a redirect they come all the same.
  const isDown = (url: string) => Number(new URL(url).pathname.slice(1) || 1) % 3 === 0;
  const answer: ReturnType<typeof foundAt> = (line, number) => {
    const found = foundAt(web)(line, number);
    return found && isDown(line.url) ? { ...found, ...FAILED, credits: 0 } : found;
  };
  const ledgers = [0, seed].map(async (schedule) => {
    const life = await crawlLife(web, schedule);
    // Few lines in a wave, so that many URLs wait.
    const id = await life.begin({ limit: 1_000, delay: 6_000 });
    const ledger = await crawled(life, id, schedule, answer);
    const { credits, outcomes, asked } = await life.find(id);
    expect([credits, asked]).toEqual([outcomes.page, 121]);
    const times = [...Map.groupBy(life.requested, (url) => url).values()].map(({ length }) => length);
    expect(Math.max(...times)).toBe(2);
    return ledger;
  });
  const [ledger = [], other] = await Promise.all(ledgers);
  expect(other).toEqual(ledger);
  const lines = new Map(ledger.map((line) => [line.url, line]));
  expect(lines.size).toBe(ledger.length);
  for (const duplicate of ledger.filter(({ outcome }) => outcome === 'duplicate')) {
    let line: LedgerLine | undefined = duplicate;
    for (let steps = 0; line?.same_as && steps < 10; steps += 1) line = lines.get(line.same_as);
    expect([duplicate.url, line?.url, line?.outcome]).toEqual([duplicate.url, line?.url, 'page']);
  }
});

test('a page that leads to a page without changes since an earlier crawl is its duplicate', async () => {
  const listed = `<urlset><url><loc>${HOME}/kept</loc><lastmod>2026-11-20</lastmod></url></urlset>`;
  const web = webOf(
    { '/': { links: ['/moved'] }, '/moved': { redirectsTo: '/kept' }, '/kept': {} },
    { '/robots.txt': '', '/sitemap.xml': listed },
  );
  const life = await crawlLife(web, 0);
  const first = await life.begin({});
  await crawled(life, first);
  life.pass(3_600_000);
  const again = await life.begin({ changedSince: first });
  const ledger = await crawled(life, again);
  expect(lineOf(ledger, '/kept')?.outcome).toBe('unchanged');
  expect(lineOf(ledger, '/moved')).toMatchObject({ outcome: 'duplicate', same_as: `${HOME}/kept` });
  expect((await life.find(again)).credits).toBe(1);
});
