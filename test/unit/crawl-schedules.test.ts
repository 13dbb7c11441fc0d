import { expect, test } from 'vitest';
import { type CrawlLife, crawlLife } from '../support/life/crawl-life.ts';
import { randomWeb } from '../support/life/random-web.ts';
import { randomOf } from '../support/world/random.ts';

const MAX_STEPS = 400;

/** Runs a crawl to its end. A schedule other than 0 has random deaths. */
async function crawled(life: CrawlLife, id: string, schedule: number) {
  const random = randomOf(schedule + 1_000);
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const dies = schedule > 0 && random.chance(0.4);
    await life.plan(id, dies ? { call: 1 + random.int(60), isDone: random.chance(0.5) } : undefined);
    await expectWhole(life, id);
    await life.runWave(id);
    const { completedAt, dueAt } = await life.find(id);
    if (completedAt && dueAt === undefined) return life.ledger(id);
  }
  throw new Error('The crawl does not end.');
}

/** What the crawl says is what its files have. */
async function expectWhole(life: CrawlLife, id: string) {
  const crawl = await life.find(id);
  if (crawl.manifest === undefined) return;
  const { ledger, queue } = await life.manifest(id);
  const lines = ledger.reduce((sum, part) => sum + part.lines, 0);
  const queued = queue.reduce((sum, part) => sum + part.lines - part.from, 0);
  const counts = await life.counts(id);
  expect([queued, counts.discovered]).toEqual([crawl.queued, lines + queued + (crawl.wave?.lines ?? 0)]);
  const { discovered, ...others } = counts;
  expect(Object.values(others).reduce((sum, count) => sum + count)).toBe(discovered);
}

test.each([1, 2])(
  'a crawl has the same ledger whatever the order, the time and the deaths: web %d',
  async (seed) => {
    const web = randomWeb(seed, 150);
    const wanted = { limit: 1_000, scope: 'domain' as const, allowHosts: ['b.example', 'slow.example'] };
    const calm = await crawlLife(web, 0);
    const first = await calm.begin({ ...wanted, contentUse: ['ai-train'] });
    const expected = await crawled(calm, first, 0);
    console.log(await calm.counts(first), expected.length);
    for (let schedule = 1; schedule <= 10; schedule += 1) {
      const life = await crawlLife(web, schedule);
      const id = await life.begin({ ...wanted, contentUse: ['ai-train'] });
      expect(await crawled(life, id, schedule)).toEqual(expected);
      expect(await life.counts(id)).toEqual(await calm.counts(first));
      expect(new Set(life.requested).size).toBe(life.requested.length);
    }
  },
);
