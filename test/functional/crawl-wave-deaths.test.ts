import { describe, expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { makeWave } from '../../shared/use-cases/crawls/make-wave.ts';
import { newService, serviceOver } from '../support/world/api.ts';
import { beginWave, foundIn, plannedIn, sizesOf, storedCrawl } from '../support/life/crawl-waves.ts';
import { extent } from '../support/world/extent.ts';
import { atEveryCall, type Death, mortal } from '../support/world/mortal.ts';
import { page } from '../support/world/pages.ts';

const MINUTE_MS = 60_000;
/** A lease and its place, a pause, and retries. */
const MINUTES = 12;
/** Two chunks of a host, and one of another. */
const [SIZE, OTHERS] = [27, 2];
const [GONE, FLAKY, REFUSED, UNPAID] = [1, 3, 5, 7];
const FIRST = 101;

const urlOf = (n: number) => `https://example.${n < SIZE ? 'com' : 'org'}/${n}`;
const urls = Array.from({ length: SIZE + OTHERS }, (_, n) => urlOf(n));

/** Of what comes once, the first time. */
function once<T>(first: () => T, then: () => T): () => Promise<T> {
  let isFirst = true;
  return async () => {
    await Promise.resolve();
    const was = isFirst;
    isFirst = false;
    return was ? first() : then();
  };
}

async function open() {
  const { world, service } = await newService();
  const { orgId } = await service.organization({ overrides: { concurrency: 3, credits: 100 } });
  const [record] = await world.keys.list(orgId);
  const crawl = storedCrawl(orgId, {}, world.now(), record?.id);
  await world.crawls.create(crawl);
  const html = (n: number) =>
    page(`<!doctype html><title>${n}</title><p>Words of page ${n}.</p><a href="/next">Next</a>`);
  urls.forEach((url, n) => (world.web[url] = { ...html(n), url }));
  world.web[urlOf(GONE)] = new AppError('tls_failed');
  world.web[urlOf(UNPAID)] = { ...html(UNPAID), url: urlOf(UNPAID), status: 500 };
  const down = () => {
    throw new AppError('connect_failed');
  };
  world.web[urlOf(FLAKY)] = once(down, () => ({ ...html(FLAKY), url: urlOf(FLAKY) }));
  const refusal = { status: 429, headers: { 'retry-after': '40' } };
  world.web[urlOf(REFUSED)] = once(
    () => ({ ...html(REFUSED), url: urlOf(REFUSED), ...refusal }),
    () => ({ ...html(REFUSED), url: urlOf(REFUSED) }),
  );
  const dying = (death: Death) => {
    const { hasDied, ...ports } = mortal(world, death);
    const fx = { ...ports, web: world.web, pass: world.pass };
    return { ...serviceOver(fx), fx, hasDied };
  };
  const begin = async (sizes?: number[]) =>
    beginWave(world, crawl, urls, { firstLine: FIRST, ...(sizes && { sizes }) });
  const planned = plannedIn(world);
  const { take } = world.queue;

  /** Lets time pass without deaths until nothing is left to do. */
  async function recover() {
    for (let minute = 0; minute < MINUTES; minute++) {
      for (const sweep of [service.sweep, service.sweepBacklogs, service.sweepBatches, service.sweepChunks])
        await sweep();
      await service.work(take());
      world.pass(MINUTE_MS);
    }
  }

  /** Every line has ended once, and is charged as what it found says. */
  async function expectExact(id: string) {
    const batch = await world.batches.find(id);
    expect([batch?.completedAt === undefined, batch?.total]).toEqual([false, SIZE + OTHERS]);
    expect(planned).toContain(crawl.id);
    const chunks = world.chunks.all().filter(({ batchId }) => batchId === id);
    expect(chunks.map(({ status, rest }) => [status, rest])).toEqual(chunks.map(() => ['closed', undefined]));
    const found = await foundIn(world, chunks);
    expect(found.map(({ line }) => line)).toEqual(urls.map((_, n) => FIRST + n));
    const failed = found.filter(({ outcome }) => outcome === 'failed').map(({ line }) => line - FIRST);
    expect(failed).toEqual([GONE, UNPAID]);
    // Unless a worker that died has met the fault.
    const retries = found.filter(({ outcome }) => outcome === 'retry');
    for (const retry of retries)
      expect(retry).toMatchObject({ line: FIRST + FLAKY, attempts: 1, credits: 0 });
    const pages = SIZE + OTHERS - failed.length - retries.length;
    expect(found.filter(({ links }) => links?.length === 1)).toHaveLength(pages);
    const organization = await world.organizations.find(crawl.orgId);
    if (!organization) throw new Error('There is no organization.');
    const { credits, slots } = await world.usage.read(organization, world.now());
    expect(slots.inUse).toEqual({});
    expect(credits.used).toBe(found.reduce((sum, each) => sum + each.credits, 0));
    expect(credits.used).toBe(pages);
    const home = await world.targetHosts.find('example.com');
    const held = Object.values(home?.crawls ?? {}).flatMap(({ places }) => Object.values(places));
    expect(held.filter((until) => until > world.now().getTime())).toEqual([]);
  }

  return { world, service, crawl, dying, begin, take, recover, expectExact };
}

type World = Awaited<ReturnType<typeof open>>;

describe('a wave is exact', { timeout: 120_000 }, () => {
  test('whichever call the process that makes it dies at', async () => {
    const story = async ({ world, crawl, dying, recover, expectExact }: World, death: Death) => {
      const { fx, hasDied } = dying(death);
      const batchId = world.newId();
      const begun = beginWave(fx, crawl, urls, { firstLine: FIRST, batchId });
      await begun.catch(() => undefined);
      // As the crawl is planned on.
      const key = `results/${crawl.orgId}/${crawl.id}/wave-${FIRST}-1.ndjson`;
      if ((await world.uploads.find(key)) === undefined) return hasDied();
      const sizes = sizesOf(urls.map((url) => ({ url })));
      await makeWave(world, crawl, { batchId, firstLine: FIRST, lines: urls.length, key, sizes });
      await recover();
      await expectExact(batchId);
      return hasDied();
    };
    await atEveryCall(open, story);
  });

  test('whichever call a worker that runs its lines dies at', async () => {
    const story = async ({ dying, begin, take, recover, expectExact }: World, death: Death) => {
      // More lines of one turn than are run together after a death.
      const id = await begin([SIZE, OTHERS]);
      const worker = dying(death);
      await worker.work(take()).catch(() => undefined);
      await recover();
      await expectExact(id);
      return worker.hasDied();
    };
    // All lines make the same calls.
    await atEveryCall(open, story, extent(7, 1));
  });

  test('whichever call a worker stalls at while others continue', async () => {
    const story = async ({ dying, begin, take, recover, expectExact }: World, death: Death) => {
      const id = await begin();
      let hasStalled = false;
      const stall = async () => {
        hasStalled = true;
        await recover();
      };
      await dying({ ...death, stall }).work(take());
      await recover();
      await expectExact(id);
      return hasStalled;
    };
    await atEveryCall(open, story, extent(9, 1));
  });
});
