import { expect, inject, test } from 'vitest';
import type { LedgerLine } from '../../shared/contract/crawls/crawl.ts';
import { key, newServiceEachTest, service, usage, world } from '../support/world/each-test.ts';
import { sweepWork } from '../support/world/api.ts';
import { page } from '../support/world/pages.ts';

const CRAWLS = '/api/v1/crawls';
const STEP_MS = 10_000;
/** Longer than a message can wait. */
const PAUSE_S = 1_800;
const DEPTH = 5;

newServiceEachTest({ overrides: { rpm: 10_000, readsPerMinute: 10_000, concurrency: 5 } });

type Shown = {
  status: string;
  counts: Record<string, number>;
  credits_used: number;
  completed_at?: string;
  hosts: { host: string; paused_until?: string }[];
};

const numbers = (length: number, each: (n: number) => string) => Array.from({ length }, (_, n) => each(n));

/**
 * Two hosts without robots.txt and sitemaps: `quick` leads deeper page by page, `busy` refuses at first. A
 * page of `quick` named `list` leads to as many pages of `busy`.
 */
function twoHosts(listed = 0) {
  const refusesUntil = world.now().getTime() + PAUSE_S * 1_000;
  const visits: { url: string; at: number }[] = [];
  world.fetchPage = ({ url }) => {
    const { host, pathname } = new URL(url);
    if (/robots|sitemap/.test(pathname)) return Promise.resolve(page('None.', { url, status: 404 }));
    visits.push({ url, at: world.now().getTime() });
    if (host === 'busy.example' && world.now().getTime() < refusesUntil)
      return Promise.resolve(
        page('Later.', { url, status: 429, headers: { 'retry-after': String(PAUSE_S) } }),
      );
    const depth = Number(pathname.slice(1));
    const links = [
      ...(pathname.startsWith('/list') ? numbers(listed, (n) => `https://busy.example${pathname}/${n}`) : []),
      ...(host === 'quick.example' && depth < DEPTH ? [`/${depth + 1}`] : []),
      ...(host === 'quick.example' && depth === 0 ? numbers(3, (n) => `https://busy.example/${n}`) : []),
    ];
    const anchors = links.map((link) => `<a href="${link}">on</a>`).join(' ');
    const words = `A page about shoes, boots and socks at ${url}, with words enough for all.`;
    return Promise.resolve(page(`<!doctype html><title>${url}</title><p>${words}</p>${anchors}`, { url }));
  };
  return { visits, refusesUntil };
}

const show = async (id: string) => (await service.ask(`${CRAWLS}/${id}`, { key })).json as unknown as Shown;

/** Works and lets time pass until the crawl has ended. Returns what each step showed. */
async function watched(id: string): Promise<Shown[]> {
  const all: Shown[] = [];
  for (let step = 0; step < 300; step += 1) {
    expect((await service.work()).kept).toEqual([]);
    const shown = await show(id);
    const { discovered, ...counts } = shown.counts;
    expect(Object.values(counts).reduce((sum, each) => sum + each, 0)).toBe(discovered);
    all.push(shown);
    if (shown.completed_at !== undefined) return all;
    world.pass(STEP_MS);
    await sweepWork(service);
  }
  throw new Error('The crawl does not end.');
}

test('a host in a pause holds no other host up, and is requested after it', async () => {
  const { visits, refusesUntil } = twoHosts();
  const urls = ['https://quick.example/0'];
  const { json } = await service.post(CRAWLS, key, { urls, allow_hosts: ['busy.example'] });
  const id = String(json['crawl_id']);
  const shown = await watched(id);
  const quick = visits.filter(({ url }) => url.includes('quick'));
  expect(quick).toHaveLength(DEPTH + 1);
  expect(Math.max(...quick.map(({ at }) => at))).toBeLessThan(refusesUntil);
  const busy = visits.filter(({ url }) => url.includes('busy'));
  const refused = busy.filter(({ at }) => at < refusesUntil);
  expect(busy.filter(({ at }) => at >= refusesUntil)).toHaveLength(3);
  // Its requests that were in progress together are one refusal.
  expect(refused.length).toBeLessThanOrEqual(2);
  const pauses = shown.map(({ hosts }) => hosts.find(({ host }) => host === 'busy.example')?.paused_until);
  expect(pauses.some((until) => until !== undefined && new Date(until).getTime() >= refusesUntil)).toBe(true);
  expect(pauses.at(-1)).toBeUndefined();
  expect(shown.at(-1)).toMatchObject({ status: 'completed', credits_used: DEPTH + 1 + 3 });
  expect((await usage()).credits.used).toBe(DEPTH + 1 + 3);
  const ledger = (await service.ask(`${CRAWLS}/${id}/urls`, { key })).text.trim().split('\n');
  expect(ledger.map((line) => (JSON.parse(line) as LedgerLine).outcome)).toEqual(
    Array.from({ length: DEPTH + 4 }, () => 'page'),
  );
  const results = (await service.ask(`${CRAWLS}/${id}/results`, { key })).text.trim().split('\n');
  expect(results).toHaveLength(DEPTH + 4);
});

const HELD: [string, number, number][] = [
  ['a wave', 1, 150],
  ['as many lines as a wave is chosen from', 5, 10_000],
];
test.each(inject('extent') === 'all' ? HELD : HELD.slice(0, 1))(
  'a host in a pause holds no other host up, although %s is all its own',
  async (_what, lists, listed) => {
    const { visits, refusesUntil } = twoHosts(listed);
    const urls = [...numbers(lists, (n) => `https://quick.example/list-${n}`), 'https://quick.example/0'];
    const request = { urls, allow_hosts: ['busy.example'], limit: 100_000 };
    const id = String((await service.post(CRAWLS, key, request)).json['crawl_id']);
    while (world.now().getTime() < refusesUntil - STEP_MS) {
      expect((await service.work()).kept).toEqual([]);
      world.pass(STEP_MS);
      await sweepWork(service);
    }
    const { discovered, pending, running, page: pages } = (await show(id)).counts;
    expect([pages, discovered]).toEqual([lists + DEPTH + 1, lists + DEPTH + 4 + lists * listed]);
    expect([pending, running]).toEqual([lists * listed + 3, 0]);
    expect(visits.filter(({ url }) => url.includes('quick'))).toHaveLength(lists + DEPTH + 1);
    expect(visits.filter(({ url }) => url.includes('busy')).length).toBeLessThanOrEqual(2);
  },
);
