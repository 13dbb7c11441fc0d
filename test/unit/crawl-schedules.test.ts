import { expect, test } from 'vitest';
import type { Crawl, LedgerLine } from '../../shared/contract/crawls/crawl.ts';
import { crawled, crawlLife } from '../support/life/crawl-life.ts';
import { type RandomWeb, randomWeb } from '../support/life/random-web.ts';
import { extent } from '../support/world/extent.ts';

const WANTED = {
  limit: 1_000,
  scope: 'domain',
  allowHosts: ['b.example', 'slow.example'],
  contentUse: ['ai-train'],
} satisfies Partial<Crawl['request']>;

/** A crawl of a web whose effects take random times and die at random, by a schedule. */
async function crawlOf(web: RandomWeb, schedule: number, wanted: Partial<Crawl['request']> = {}) {
  const life = await crawlLife(web, schedule);
  const id = await life.begin({ ...WANTED, ...wanted });
  const ledger = await crawled(life, id, schedule);
  return { life, id, ledger, counts: await life.counts(id), credits: (await life.find(id)).credits };
}

test.each([
  ['a small web', 1, 100, {}],
  ['a larger web', 2, 200, {}],
  ['a web with a limit', 3, 150, { limit: 30 }],
  ['a web with a depth', 4, 150, { maxDepth: 2, sitemaps: 'skip' as const }],
  ['a web with little credit', 5, 150, { maxCredits: 25 }],
])(
  'the ledger of %s is the same whatever the order, the time and the deaths',
  async (_, seed, size, wanted) => {
    const web = randomWeb(seed, size);
    const calm = await crawlOf(web, 0, wanted);
    expect(calm.ledger.length).toBeGreaterThan(30);
    for (let schedule = 1; schedule <= extent(3, 8); schedule += 1) {
      const { life, ledger, counts, credits } = await crawlOf(web, schedule, wanted);
      expect(ledger).toEqual(calm.ledger);
      expect([counts, credits]).toEqual([calm.counts, calm.credits]);
      expect(new Set(life.requested).size).toBe(life.requested.length);
    }
  },
);

test('every URL that pages and sitemaps lead to is in the ledger once', async () => {
  const web = randomWeb(6, 400);
  const { ledger } = await crawlOf(web, 1);
  const lines = new Map(ledger.map((line) => [line.url, line]));
  expect(lines.size).toBe(ledger.length);
  const found = new Set(ledger.map(({ url }) => sameKey(url)));
  for (const line of ledger.filter(isFollowed)) {
    for (const link of pageAt(web, line.url)?.links ?? [])
      if (link.startsWith('http')) expect(found).toContain(sameKey(link));
  }
  const listed = [...web.files.values()].flatMap((text) => [...text.matchAll(/<url><loc>(.*?)<\/loc>/g)]);
  for (const [, url = ''] of listed) expect(found).toContain(sameKey(url.replaceAll('&amp;', '&')));
  const wrong = ledger.filter(({ url, outcome }) => url.includes('/private/') && outcome === 'page');
  expect(wrong.filter(({ url }) => new URL(url).pathname.startsWith('/private'))).toEqual([]);
});

const isFollowed = ({ outcome, target_status: status = 0 }: LedgerLine) => outcome === 'page' && status < 400;

/** Http and https, with and without `www.`, may be one site. */
function sameKey(text: string): string {
  const url = new URL(text);
  url.searchParams.delete('utm_source');
  return `${url.host.replace('www.', '')}${url.pathname}${url.search}`;
}

function pageAt({ pages }: RandomWeb, url: string) {
  let page = pages.get(url);
  for (let hops = 0; page?.redirectsTo !== undefined && hops < 5; hops += 1)
    page = pages.get(page.redirectsTo);
  return page;
}
