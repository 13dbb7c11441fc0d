import { expect, test } from 'vitest';
import type { Crawl } from '../../shared/contract/crawls/crawl.ts';
import { emitCrawlCompleted } from '../../shared/use-cases/crawls/settle-crawl.ts';
import { eventIn, HOOK, verified, webhookLife } from '../support/life/webhook-life.ts';
import { API_URL } from '../support/world/in-memory-world.ts';

const CRAWLS = '/api/v1/crawls';
const OTHER = 'https://other.example/in';

test('the end of a crawl is one signed event to its webhook and to endpoints that chose it', async () => {
  const { world, service, key, create } = await webhookLife();
  world.answers[OTHER] = 204;
  const { secret } = await create({ url: OTHER, events: ['crawl.completed'] });
  const seeds = Array.from({ length: 100 }, (_, n) => `https://example.com/${'x'.repeat(1_900)}/${n}`);
  const submitted = await service.post(CRAWLS, key, { urls: seeds, include: ['/none'], webhook: HOOK });
  const stored = (await world.crawls.find(String(submitted.json['crawl_id']))) as Crawl;
  const outcomes = { page: 5, robots: 2 };
  const crawl = { ...stored, status: 'completed', stopReason: 'done', outcomes, credits: 5 } as const;
  const ended = { ...crawl, completedAt: world.now() };
  await emitCrawlCompleted(world, ended);
  await emitCrawlCompleted(world, ended);
  await service.notify();
  const data = {
    ...{ crawl_id: crawl.id, status: 'completed', stop_reason: 'done', credits_used: 5 },
    counts: { discovered: 7, page: 5, robots: 2, pending: 0, running: 0 },
    status_url: `${API_URL}${CRAWLS}/${crawl.id}`,
  };
  for (const url of [HOOK, OTHER]) {
    const events = world.received.filter((each) => each.url === url);
    expect(events.map(eventIn)).toMatchObject([{ type: 'crawl.completed', data }]);
    expect(Buffer.byteLength(events[0]?.body ?? '')).toBeLessThan(20_000);
  }
  const [signed] = world.received.filter((each) => each.url === OTHER);
  expect(signed && verified(signed, secret).type).toBe('crawl.completed');
});
