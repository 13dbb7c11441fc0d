import { beforeEach, expect, test } from 'vitest';
import { cachedAccounts } from '../../shared/adapters/dynamodb/accounts/cached-accounts.ts';
import { serviceOver } from '../support/world/api.ts';
import { type EmulatedWorld, emulatedWorld } from '../support/world/emulated-world.ts';
import { accountsOf } from '../support/world/in-memory-accounts.ts';
import { inMemoryWorld } from '../support/world/in-memory-world.ts';
import { page } from '../support/world/pages.ts';

const JOBS = '/api/v1/scraper/jobs';
const BATCHES = '/api/v1/scraper/batches';
const url = 'https://example.com/';

let emulated: EmulatedWorld;

beforeEach(async () => {
  emulated = await emulatedWorld();
  return () => emulated[Symbol.asyncDispose]();
});

/** A service of one organization, and a counter of the units that DynamoDB bills for what it writes. */
async function open(concurrency: number) {
  const memory = inMemoryWorld();
  memory.web[url] = page('hello');
  const { jobs, batches, chunks, crawls, targetHosts, activity } = emulated;
  const written = emulated.countWriteUnits();
  const accounts = cachedAccounts(accountsOf(emulated), memory.now);
  const service = serviceOver({
    ...memory,
    jobs: { ...memory.jobs, ...jobs },
    batches,
    chunks: { ...memory.chunks, ...chunks },
    crawls: { ...memory.crawls, ...crawls },
    targetHosts,
    ...accounts,
    activity,
  });
  const { key } = await service.organization({ overrides: { concurrency, rpm: 6_000 } });
  const unitsOf = async (work: () => Promise<unknown>) => {
    written();
    await work();
    return written();
  };
  const submit = async () => String((await service.post(JOBS, key, { url })).json.job_id);
  return { memory, service, key, submit, unitsOf };
}

test('a job makes six writes, and each of its three calls one', async () => {
  const { service, key, submit, unitsOf } = await open(10);
  // The first scrape of a day, and the first of some minutes, write more.
  await submit();
  await service.work();
  let id = '';
  expect(await unitsOf(async () => (id = await submit()))).toBe(2 + 1);
  expect(await unitsOf(() => service.work())).toBe(4);
  expect(await unitsOf(() => service.ask(`${JOBS}/${id}`, { key }))).toBe(1);
  expect(await unitsOf(() => service.ask(`${JOBS}/${id}/result`, { key }))).toBe(1);
});

test('an organization that leaves the list of the sweeper and returns makes eight writes', async () => {
  const { memory, service, submit, unitsOf } = await open(10);
  await submit();
  await service.work();
  memory.pass(11 * 60_000);
  const left = await unitsOf(() => service.sweepBacklogs());
  const returned = await unitsOf(submit);
  expect([left, returned]).toEqual([4, 4 + 3]);
});

test.each([
  ['two hundred and fifty requests in ten slots', 250, 10, 0.8],
  ['ten requests in ten slots, each of which stores its own portion,', 10, 10, 18],
])('a batch of %s makes few writes a request', { tags: ['soak'] }, async (_, count, concurrency, most) => {
  const { service, key, unitsOf } = await open(concurrency);
  const requests = Array.from({ length: count }, () => ({ url }));
  const submit = async () => String((await service.post(BATCHES, key, { requests })).json.batch_id);
  await submit();
  await service.work();
  let id = '';
  const units = await unitsOf(async () => {
    id = await submit();
    await service.work();
  });
  const { json } = await service.ask(`${BATCHES}/${id}`, { key });
  expect(json).toMatchObject({ status: 'completed', counts: { completed: count } });
  expect(units / count).toBeLessThan(most);
});

test('a crawl makes far fewer writes than it has pages', { tags: ['soak'] }, async () => {
  const PAGES = 400;
  const { memory, service, key, unitsOf } = await open(10);
  const urlOf = (n: number) => `https://example.com/${n === 0 ? '' : n}`;
  const links = Array.from({ length: PAGES - 1 }, (_, n) => `<a href="/${n + 1}">${n + 1}</a>`).join('');
  for (let n = 0; n < PAGES; n++) {
    const body = `<!doctype html><title>${n}</title><p>Words about page ${n}.</p>${n === 0 ? links : ''}`;
    memory.web[urlOf(n)] = page(body, { url: urlOf(n) });
  }
  for (const file of ['robots.txt', 'sitemap.xml', 'sitemap_index.xml'])
    memory.web[`https://example.com/${file}`] = page('', { status: 404, url: `https://example.com/${file}` });
  const request = { url: urlOf(0), limit: PAGES, concurrency: 1 };
  let path = '';
  const units = await unitsOf(async () => {
    path = `/api/v1/crawls/${String((await service.post('/api/v1/crawls', key, request)).json['crawl_id'])}`;
    for (let minute = 0; minute < 10; minute++) {
      await service.work();
      memory.pass(60_000);
      await service.sweepBacklogs();
    }
  });
  const { json } = await service.ask(path, { key });
  expect(json).toMatchObject({ status: 'completed', counts: { page: PAGES } });
  expect(units / PAGES).toBeLessThan(0.75);
});

test('a job of a backlog makes six writes besides the submit', async () => {
  const { memory, service, submit, unitsOf } = await open(1);
  const gate = Promise.withResolvers<undefined>();
  memory.web[url] = async () => {
    await gate.promise;
    return page('hello');
  };
  await submit();
  const working = service.work();
  await expect.poll(async () => (await emulated.jobs.due(memory.now(), 100)).jobs.length).toBe(0);
  const waiting = 20;
  await expect.poll(() => unitsOf(submit)).toBe(3 + 1);
  await unitsOf(async () => {
    for (let n = 1; n < waiting; n++) await submit();
  });
  const units = await unitsOf(async () => {
    gate.resolve(undefined);
    await working;
  });
  // With the end of the first job, and of the waiting.
  expect(units / waiting).toBeLessThan(6.6);
});
