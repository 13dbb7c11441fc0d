import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, inject, test } from 'vitest';
import { expectedOf } from '../fixtures/crawls/expected.ts';
import { keyOf } from '../fixtures/crawls/key-of.ts';
import { addresses, type Web, webOf } from '../fixtures/crawls/web.ts';
import {
  assertAddsUp,
  crawled,
  type EndedCrawl,
  faultsIn,
  impolitenessIn,
} from '../support/life/judged-crawl.ts';
import { sweeperOf, usageOf } from '../support/life/killing.ts';
import { crawledWeb } from '../support/servers/crawled-web.ts';
import { clientOf } from '../support/stack/client.ts';
import { ownStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';
import { randomOf } from '../support/world/random.ts';

const MAX_DEPTH = 20;
const CONCURRENCY = 4;
const POLLS = 1_000;
const KILLS = 200;
/** The host that redirects to another is in the same crawl. */
const CRAWLS = 6;
const KILL_EVERY_MS = 2_000;
/** A process that is killed while it starts does no work, and the last one may be the only one. */
const STARTED_MS = 2_000;
/** Of a killed worker, a wave waits until its lease has ended. */
const LONG_MS = 3 * 60 * 60_000;
/** How many of all lines may have lost four workers. */
const MOST_EXHAUSTED = 0.05;
const SWEPT_EVERY = { interval: 1_000, timeout: 300_000 };

/** Another than the shared stack may use, which also runs. */
const port = inject('crawlPort') + 1;
const stack = await ownStack({ egressAllow: addresses.map((address) => `${address}:${port}`) });
const sweeper = sweeperOf(stack);
afterAll(() => sweeper[Symbol.dispose]());

const seenAt = new Map<number, number>();

/** Workers that have run for a while. */
function oldWorkers(): number[] {
  const { worker: pids = [] } = stack.pids();
  const now = performance.now();
  for (const pid of pids) if (!seenAt.has(pid)) seenAt.set(pid, now);
  return pids.filter((pid) => now - (seenAt.get(pid) ?? now) >= STARTED_MS);
}

/** Crawls as a new organization, which must have paid what the crawl says. */
async function paidCrawl(web: Web): Promise<EndedCrawl> {
  const overrides = { concurrency: 100, credits: 1_000_000, readsPerMinute: 1_000_000 };
  const { org_id: orgId, api_key: key } = await newOrganization(stack.storage, {
    plan: 'business',
    overrides,
  });
  const request = { urls: web.seeds, limit: 200_000, max_depth: MAX_DEPTH, concurrency: CONCURRENCY };
  const crawl = await crawled(clientOf(stack.baseUrl, key), request);
  assertAddsUp(crawl);
  const paid = { used: crawl.view.credits_used, slots: {} };
  await expect.poll(await usageOf(stack, orgId, sweeper), SWEPT_EVERY).toEqual(paid);
  return crawl;
}

/** Kills a worker every now and then, and gives back early what it had. */
function killing(random = randomOf(1)) {
  const ended = new AbortController();
  let kills = 0;
  const strike = async () => {
    await sweeper.sweep();
    const workers = oldWorkers();
    const victim = workers[random.int(workers.length)];
    if (victim === undefined || kills === KILLS) return;
    process.kill(victim, 'SIGKILL');
    kills += 1;
  };
  const striking = (async () => {
    while (!ended.signal.aborted) await Promise.all([strike(), setTimeout(KILL_EVERY_MS)]);
  })();
  return {
    kills: () => kills,
    end: () => {
      ended.abort();
      return striking;
    },
  };
}

/** A line that has lost four workers may hide what it alone leads to. Otherwise all is as without deaths. */
function assertSame({ ledger, view }: EndedCrawl, undisturbed: EndedCrawl): void {
  const exhausted = ledger.filter(({ error_code: code }) => code === 'attempts_exhausted');
  expect(exhausted.length).toBeLessThanOrEqual(undisturbed.ledger.length * MOST_EXHAUSTED);
  if (exhausted.length === 0) expect(ledger).toEqual(undisturbed.ledger);
  const known = new Set(undisturbed.ledger.map(({ url }) => keyOf(url)));
  expect(ledger.filter(({ url }) => !known.has(keyOf(url)))).toEqual([]);
  expect(view.credits_used).toBe(view.counts.page);
}

test('50,000 pages of 20 hosts are crawled once each, politely, and add up at every poll', async () => {
  const web = webOf({ port, pages: 50_000 });
  await using served = await crawledWeb(web);
  const { ledger, polls } = await paidCrawl(web);
  expect(polls).toBeGreaterThan(POLLS);
  expect(faultsIn(ledger, expectedOf(web, MAX_DEPTH))).toEqual([]);
  expect(impolitenessIn(web, served.visits, CONCURRENCY)).toEqual([]);
});

test(
  'workers that are killed 200 times lose no URL, charge none twice and add none',
  async () => {
    const whole = webOf({ port, pages: 1_500 });
    await using served = await crawledWeb(whole);
    const names = whole.hosts.map(({ name }) => name);
    // Crawls of other hosts each: some work while others wait for a lease.
    const webs = Array.from({ length: CRAWLS }, (_, n) =>
      webOf({ port, pages: 1_500, only: names.filter((_name, at) => at % CRAWLS === n) }),
    );
    const pairs = await Promise.all(webs.map(async (web) => ({ web, undisturbed: await paidCrawl(web) })));
    for (const { web, undisturbed } of pairs)
      expect(faultsIn(undisturbed.ledger, expectedOf(web, MAX_DEPTH))).toEqual([]);
    const killer = killing();
    const untilKilled = async ({ web, undisturbed }: (typeof pairs)[number]) => {
      while (killer.kills() < KILLS) assertSame(await paidCrawl(web), undisturbed);
    };
    await Promise.all(pairs.map(untilKilled));
    await killer.end();
    expect(impolitenessIn(whole, served.visits, CONCURRENCY)).toEqual([]);
  },
  LONG_MS,
);
