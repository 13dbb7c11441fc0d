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

const MAX_DEPTH = 20;
const CONCURRENCY = 4;
const POLLS = 1_000;
const KILLS = 200;
const KILL_EVERY_MS = 1_000;
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
async function paidCrawl(web: Web, kill?: () => Promise<unknown>): Promise<EndedCrawl> {
  const overrides = { concurrency: 100, credits: 1_000_000, readsPerMinute: 1_000_000 };
  const { org_id: orgId, api_key: key } = await newOrganization(stack.storage, {
    plan: 'business',
    overrides,
  });
  const request = { urls: web.seeds, limit: 200_000, max_depth: MAX_DEPTH, concurrency: CONCURRENCY };
  const crawl = await crawled(clientOf(stack.baseUrl, key), request, {
    everyMs: kill ? KILL_EVERY_MS : 100,
    between: kill,
  });
  assertAddsUp(crawl);
  const paid = { used: crawl.view.credits_used, slots: {} };
  await expect.poll(await usageOf(stack, orgId, sweeper), SWEPT_EVERY).toEqual(paid);
  return crawl;
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
    const web = webOf({ port, pages: 1_500 });
    await using served = await crawledWeb(web);
    const undisturbed = await paidCrawl(web);
    expect(faultsIn(undisturbed.ledger, expectedOf(web, MAX_DEPTH))).toEqual([]);
    let kills = 0;
    const kill = async () => {
      await sweeper.sweep();
      const victims = oldWorkers();
      for (const victim of victims) process.kill(victim, 'SIGKILL');
      kills += victims.length;
    };
    while (kills < KILLS) {
      const disturbed = await paidCrawl(web, kill);
      const exhausted = disturbed.ledger.filter(({ error_code: code }) => code === 'attempts_exhausted');
      expect(exhausted.length).toBeLessThan(undisturbed.ledger.length * MOST_EXHAUSTED);
      // What only an exhausted page leads to is not found.
      if (exhausted.length === 0) expect(disturbed.ledger).toEqual(undisturbed.ledger);
      const known = new Set(undisturbed.ledger.map(({ url }) => keyOf(url)));
      expect(disturbed.ledger.filter(({ url }) => !known.has(keyOf(url)))).toEqual([]);
      expect(disturbed.view.credits_used).toBe(disturbed.view.counts.page);
    }
    expect(impolitenessIn(web, served.visits, CONCURRENCY)).toEqual([]);
  },
  LONG_MS,
);
