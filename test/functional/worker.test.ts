import { createHash, randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MAX_PAGE_BYTES } from '../../shared/contract/scrape/page.ts';
import { serviceOver } from '../support/world/api.ts';
import { collectGarbage } from '../support/world/collect-garbage.ts';
import { inMemoryWorld } from '../support/world/in-memory-world.ts';
import { page } from '../support/world/pages.ts';

const URL = 'https://example.com/';

/** CPU time of the longest turn of the event loop until the work is done. */
async function longestTurnMs(work: Promise<unknown>): Promise<number> {
  const over = new AbortController();
  void work.finally(() => over.abort());
  let longest = 0;
  for (let before = process.threadCpuUsage(); !over.signal.aborted; before = process.threadCpuUsage()) {
    await setImmediate();
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, user + system);
  }
  return longest / 1_000;
}

/** CPU time of hashing a page of the largest size in one turn, which is too long for a turn. */
function wholePageMs(body: Buffer): number {
  const before = process.threadCpuUsage();
  createHash('sha256').update(body).digest();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

test('a page of the largest size does not block the event loop for other jobs', async () => {
  const world = inMemoryWorld();
  const service = serviceOver(world);
  const { key } = await service.organization();
  const work = async (body: Buffer) => {
    world.web[URL] = { ...page(''), body };
    await service.post('/api/v1/scraper/jobs', key, { url: URL });
    return longestTurnMs(service.work());
  };
  await work(Buffer.from('warm'));
  const large = randomBytes(MAX_PAGE_BYTES);
  // The best of three, because a garbage collection may fall into any turn.
  const longest = [await work(large), await work(large), await work(large)];
  expect(Math.min(...longest)).toBeLessThan(wholePageMs(large) / 2);
  expect(new Set(world.jobs.all().map(({ status }) => status))).toEqual(new Set(['completed']));
});

test('a finished job leaves nothing in memory until its timeout', async () => {
  const world = inMemoryWorld();
  const service = serviceOver(world);
  const { key } = await service.organization();
  const signals: WeakRef<AbortSignal>[] = [];
  world.web[URL] = (signal) => {
    signal.addEventListener('abort', () => undefined);
    signals.push(new WeakRef(signal));
    return Promise.resolve(page('quick'));
  };
  await service.post('/api/v1/scraper/jobs', key, { url: URL, timeout: 120_000 });
  await service.work();
  expect(signals).toHaveLength(1);
  await expect
    .poll(() => {
      collectGarbage();
      return signals[0]?.deref() === undefined;
    })
    .toBe(true);
});

test("another organization's job runs while all jobs of a worker wait for their pages", async () => {
  const world = inMemoryWorld();
  const service = serviceOver(world);
  const [busy, calm] = [await service.organization(), await service.organization()];
  const { promise: released, resolve: release } = Promise.withResolvers<ReturnType<typeof page>>();
  const slow = 'https://slow.example/';
  Object.assign(world.web, { [slow]: () => released, [URL]: page('hello') });
  for (let n = 0; n < 3; n += 1) await service.post('/api/v1/scraper/jobs', busy.key, { url: slow });
  const working = service.work();
  const { json } = await service.post('/api/v1/scraper/jobs', calm.key, { url: URL });
  // No other worker is there to run it.
  const job = async () =>
    (await service.ask(`/api/v1/scraper/jobs/${String(json['job_id'])}`, { key: calm.key })).json;
  await expect.poll(job).toMatchObject({ status: 'completed' });
  expect(world.jobs.all().filter(({ status }) => status === 'running')).toHaveLength(3);
  release(page('late'));
  await working;
  expect(world.jobs.all().map(({ status }) => status)).toEqual(Array(4).fill('completed'));
});
