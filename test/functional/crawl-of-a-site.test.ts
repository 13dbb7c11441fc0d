import { describe, expect, test } from 'vitest';
import type { LedgerLine } from '../../shared/contract/crawls/crawl.ts';
import { newService, serviceOver, sweepWork } from '../support/world/api.ts';
import { overHttp, type Reply, site } from '../support/life/crawl-waves.ts';
import { extent } from '../support/world/extent.ts';
import { atEveryCall, type Death, mortal } from '../support/world/mortal.ts';

const CRAWLS = '/api/v1/crawls';
const MINUTE_MS = 60_000;
const [CREDITS, CONCURRENCY] = [500, 2];

/** Levels of a tree of pages, each with as many links. */
const [LEVELS, LINKS] = [4, 3];

const html = (path: string, body: string, head = '') =>
  `<!doctype html><html><head><title>${path}</title>${head}</head><body><p>A page about shoes at ${path}.</p>${body}</body></html>`;
const linksTo = (paths: readonly string[]) => paths.map((path) => `<a href="${path}">${path}</a>`).join(' ');

/** A tree of pages, each with a link to the top, and pages of every other kind at the top. */
function answer(path: string): Reply {
  if (path === '/robots.txt')
    return { headers: { 'Content-Type': 'text/plain' }, body: 'User-agent: *\nDisallow: /private' };
  if (/^\/sitemap/.test(path)) return { status: 404 };
  if (path === '/moved') return { status: 302, headers: { Location: '/t' } };
  if (path === '/hidden') return { status: 301, headers: { Location: '/private/b' } };
  if (path === '/copy') return answer('/t-1');
  if (path === '/down') return { status: 500, body: html(path, '') };
  if (path === '/gone') return { status: 404, body: html(path, '') };
  const others = ['/moved', '/hidden', '/copy', '/down', '/gone', '/private/a', 'https://elsewhere.example/'];
  if (path === '/') return { body: html(path, linksTo(['/t', ...others])) };
  const depth = path.split('-').length;
  if (!/^\/t(-[0-2])*$/.test(path) || depth > LEVELS) return { status: 404, body: html(path, '') };
  const children = depth < LEVELS ? Array.from({ length: LINKS }, (_, n) => `${path}-${n}`) : [];
  return { body: html(path, linksTo(['/', ...children])) };
}

const TREE = (LINKS ** LEVELS - 1) / (LINKS - 1);
/** The seed, the tree and /gone; /down; /copy, /moved; /private, /hidden and its target; elsewhere. */
const EXPECTED = { page: TREE + 2, failed: 1, duplicate: 2, robots: 3, out_of_scope: 1 };
const DISCOVERED = TREE + 9;

async function open(target: Awaited<ReturnType<typeof site>>) {
  const { world } = await newService();
  const policy = { allow: [target.host] };
  world.fetchPage = overHttp;
  const over = (fx: typeof world) => serviceOver(fx, policy);
  const service = over(world);
  const { key, orgId } = await service.organization({ overrides: { concurrency: 10, credits: CREDITS } });
  const { json } = await service.post(CRAWLS, key, { url: `${target.origin}/`, concurrency: CONCURRENCY });
  const path = `${CRAWLS}/${String(json['crawl_id'])}`;
  const shown = async () => (await service.ask(path, { key })).json as Shown;
  const dying = (death: Death) => {
    const { hasDied, ...ports } = mortal(world, death);
    return { ...over({ ...ports, web: world.web, pass: world.pass }), hasDied };
  };

  /** Lets time pass without deaths until the crawl has ended. Counts add up at every moment. */
  async function finish() {
    for (let turn = 0; turn < 60; turn++) {
      await service.work();
      const crawl = await shown();
      const { discovered, ...outcomes } = crawl.counts;
      expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(discovered);
      if (crawl.completed_at !== undefined && world.queue.take().length === 0) return crawl;
      world.pass(MINUTE_MS);
      await sweepWork(service);
    }
    throw new Error(`The crawl does not end: ${JSON.stringify(await shown())}`);
  }

  const linesAt = async <T>(from: string) => {
    const lines: T[] = [];
    let next: string | undefined = from;
    while (next !== undefined) {
      const { text, headers } = await service.ask(next, { key });
      lines.push(
        ...text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as T),
      );
      next = /<([^>]+)>; rel="next"/.exec(headers['Link'] ?? '')?.[1];
    }
    return lines;
  };

  /** Every URL has one outcome, every page one result, and the charge is the sum of theirs. */
  async function expectExact(crawl: Shown) {
    expect(crawl).toMatchObject({ status: 'completed', stop_reason: 'done' });
    expect(crawl.counts).toMatchObject({ discovered: DISCOVERED, ...EXPECTED });
    const ledger = await linesAt<LedgerLine>(`${path}/urls`);
    expect(new Set(ledger.map(({ url }) => url)).size).toBe(ledger.length);
    expect(ledger).toHaveLength(DISCOVERED);
    const results = await linesAt<{ line: number; credits_used: number; crawl: object }>(`${path}/results`);
    expect(new Set(results.map(({ line }) => line)).size).toBe(results.length);
    expect(results).toHaveLength(EXPECTED.page + EXPECTED.failed);
    expect(results.every((line) => 'depth' in line.crawl)).toBe(true);
    const credits = results.reduce((sum, { credits_used: used }) => sum + used, 0);
    expect([credits, crawl.credits_used]).toEqual([EXPECTED.page, EXPECTED.page]);
    const organization = await world.organizations.find(orgId);
    if (!organization) throw new Error('There is no organization.');
    const usage = await world.usage.read(organization, world.now());
    expect([usage.credits.used, usage.slots.inUse]).toEqual([EXPECTED.page, {}]);
    return ledger;
  }

  return { world, service, dying, shown, finish, expectExact };
}

type Shown = { counts: Record<string, number>; credits_used: number; completed_at?: string };

describe('a crawl of a site', { timeout: 300_000 }, () => {
  test('ends with an outcome for every URL, and never requests more at once than it may', async () => {
    await using target = await site(answer, () => new Date());
    const { finish, expectExact } = await open(target);
    await expectExact(await finish());
    expect(target.most()).toBeLessThanOrEqual(CONCURRENCY);
    const paths = target.visits.map(({ path }) => path);
    expect(paths.filter((path) => path.startsWith('/private'))).toEqual([]);
    // Once as its own page, and once behind a redirect.
    expect(paths.filter((path) => path === '/t').length).toBeLessThanOrEqual(2);
    expect(paths.filter((path) => path === '/t-0-0-0')).toHaveLength(1);
  });

  test('continues although its message is lost', async () => {
    await using target = await site(answer, () => new Date());
    const { world, service, finish, expectExact } = await open(target);
    world.queue.take();
    expect(await service.sweepCrawls()).toEqual({});
    world.pass(2 * MINUTE_MS);
    expect(await service.sweepCrawls()).toEqual({ resent: 1 });
    expect(await service.sweepCrawls()).toEqual({});
    await expectExact(await finish());
    expect(await world.crawls.due(new Date('2027-01-01'), 10)).toEqual([]);
  });

  test('is the same whichever call a worker dies at', async () => {
    await using target = await site(answer, () => new Date());
    let first: LedgerLine[] | undefined;
    await atEveryCall(
      () => open(target),
      async ({ world, dying, finish, expectExact }, death) => {
        const worker = dying(death);
        await worker.work(world.queue.take()).catch(() => undefined);
        const ledger = await expectExact(await finish());
        first ??= ledger;
        expect(ledger).toEqual(first);
        return worker.hasDied();
      },
      extent(29, 5),
    );
  });
});
