import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmulators } from '../../local/emulators.ts';
import { serviceOver, sweepWork } from '../support/world/api.ts';
import { dynamodbWorld, type DynamodbWorld } from '../support/world/dynamodb-world.ts';
import { accountsOf } from '../support/world/in-memory-accounts.ts';
import { inMemoryWorld } from '../support/world/in-memory-world.ts';
import { page } from '../support/world/pages.ts';

const MINUTE_MS = 60_000;
const PAGES = 60;

const stack = new AsyncDisposableStack();
let storage: DynamodbWorld;
beforeAll(async () => {
  const emulators = stack.use(await startEmulators());
  storage = stack.use(await dynamodbWorld(emulators.dynamodb));
});
afterAll(() => stack.disposeAsync());

test('a crawl on DynamoDB ends with an outcome for every URL, each charged once', async () => {
  const memory = inMemoryWorld();
  const { batches, targetHosts } = storage;
  const crawls = { ...memory.crawls, ...storage.crawls };
  const chunks = { ...memory.chunks, ...storage.chunks };
  const world = { ...memory, ...accountsOf(storage), batches, chunks, crawls, targetHosts };
  const service = serviceOver(world);
  const { key } = await service.organization({ overrides: { concurrency: 10, credits: 1_000 } });
  const urlOf = (n: number) => `https://example.com/${n === 0 ? '' : n}`;
  const html = (n: number, body: string) =>
    page(`<!doctype html><title>${n}</title><p>Words about page ${n}.</p>${body}`, { url: urlOf(n) });
  const links = Array.from({ length: PAGES - 1 }, (_, n) => `<a href="/${n + 1}">${n + 1}</a>`).join('');
  for (let n = 0; n < PAGES; n++) world.web[urlOf(n)] = html(n, n === 0 ? links : '<a href="/">Home</a>');
  world.web[urlOf(7)] = html(8, '<a href="/">Home</a>');
  for (const file of ['robots.txt', 'sitemap.xml', 'sitemap_index.xml'])
    world.web[`https://example.com/${file}`] = page('', { status: 404, url: `https://example.com/${file}` });
  const { json } = await service.post('/api/v1/crawls', key, { url: urlOf(0) });
  const shown = async () => (await service.ask(`/api/v1/crawls/${String(json['crawl_id'])}`, { key })).json;
  for (let minute = 0; minute < 20 && (await shown())['status'] === 'running'; minute++) {
    await service.work();
    world.pass(MINUTE_MS);
    await sweepWork(service);
  }
  expect(await shown()).toMatchObject({
    ...{ status: 'completed', stop_reason: 'done', credits_used: PAGES - 1 },
    counts: { discovered: PAGES, page: PAGES - 1, duplicate: 1, pending: 0, running: 0 },
  });
  expect((await service.ask('/api/v1/account', { key })).json).toMatchObject({
    credits: { used: PAGES - 1 },
  });
});
