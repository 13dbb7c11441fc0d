import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Context } from 'aws-lambda';
import { expect, test } from 'vitest';
import { scraperOperations } from '../../functions/scraper/operations.ts';
import { awslambda } from '../../local/lambda/response-stream.ts';
import type { Page } from '../../shared/contract/scrape/page.ts';
import { AppError } from '../../shared/errors.ts';
import { httpFunction } from '../../shared/http/http-function.ts';
import { CRAWLER, newService } from '../support/world/api.ts';
import type { World } from '../support/world/in-memory-world.ts';
import { keptLog } from '../support/world/kept-log.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const url = 'https://example.com/';

type Streaming = (event: unknown, stream: PassThrough, context: Context) => Promise<void>;

/** The scraper as Lambda runs it, with the bytes streamed so far. */
function streamingScraper(world: World, key: string, more = {}, resource = SCRAPE) {
  Object.assign(globalThis, { awslambda });
  const { log, lines } = keptLog();
  const handler = httpFunction(world, log, scraperOperations(world, { allow: [] }, CRAWLER), 'streaming');
  const stream = Object.assign(new PassThrough(), { setContentType: () => undefined });
  const headers = {
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    Accept: 'application/x-ndjson, */*;q=0.5',
  };
  const event = { httpMethod: 'POST', resource, headers, body: JSON.stringify({ url, ...more }) };
  const context = { getRemainingTimeInMillis: () => 60_000 } as Context;
  const ended = (handler as unknown as Streaming)(event, stream, context);
  return { stream, answer: () => text(stream), ended, lines };
}

test('the caller gets the whole page before its slot is released and the log line is written', async () => {
  const { world, service, key } = await newService();
  world.web[url] = page('hello');
  const settling = Promise.withResolvers<undefined>();
  const { settle } = world.usage;
  world.usage.settle = async (...settlement) => {
    await settling.promise;
    return settle(...settlement);
  };
  const { answer, ended, lines } = streamingScraper(world, key);
  expect(await answer()).toBe('hello');
  expect(lines).toEqual([]);
  settling.resolve(undefined);
  await ended;
  expect(lines).toMatchObject([{ message: 'request', status: 200, credits: 1 }]);
  expect((await service.post(SCRAPE, key, { url })).headers['X-Credits-Remaining']).toBe('998');
});

test('a page whose slot cannot be released is charged once the slot expires', async () => {
  const { world, service, key } = await newService();
  world.web[url] = page('hello');
  const { settle } = world.usage;
  world.usage.settle = () => Promise.reject(new TypeError('lost'));
  const { status, text: body, headers } = await service.post(SCRAPE, key, { url });
  expect([status, body, headers['X-Credits-Used']]).toEqual([200, 'hello', '1']);
  expect(service.lines).toMatchObject([
    { level: 'error', status: 200, fault: expect.stringContaining('TypeError: lost') as string },
  ]);
  Object.assign(world.usage, { settle });
  world.pass(30 * 60_000);
  expect((await service.post(SCRAPE, key, { url })).headers['X-Credits-Remaining']).toBe('998');
});

test('a page that is cut off is free, and holds its slot until then', async () => {
  const { world, service, key } = await newService();
  world.web[url] = page('x'.repeat(1_000_000));
  const { stream, ended, lines } = streamingScraper(world, key);
  await once(stream, 'readable');
  stream.destroy();
  await expect(ended).rejects.toThrow();
  expect(lines).toMatchObject([{ message: 'request', status: 200, credits: 0 }]);
  expect((await service.post(SCRAPE, key, { url })).headers['X-Credits-Remaining']).toBe('999');
});

test('a page that is kept is charged even if it is cut off, for the rest is free', async () => {
  const { world, service, key } = await newService();
  world.web[url] = page(`<p>${'word '.repeat(200_000)}</p>`);
  const { stream, ended, lines } = streamingScraper(world, key, { max_age: 60 });
  await once(stream, 'readable');
  stream.destroy();
  await expect(ended).rejects.toThrow();
  expect(lines).toMatchObject([{ message: 'request', status: 200, credits: 1 }]);
  const { headers } = await service.post(SCRAPE, key, { url, max_age: 60 });
  expect(headers).toMatchObject({ 'X-Cache': 'hit', 'X-Credits-Remaining': '999' });
});

test('a large report of a failed scenario holds its slot until it has been read', async () => {
  const { world, service } = await newService();
  const { key } = await service.organization({ overrides: { concurrency: 1 } });
  const steps = Array.from({ length: 2_000 }, (_, index) => ({ index, step: 'scroll_to', ok: true, ms: 1 }));
  world.web[url] = new AppError('scenario_failed', { report: { ok: false, steps } });
  const { stream, answer, ended } = streamingScraper(world, key, { render_js: true });
  await once(stream, 'readable');
  const another = async () => (await service.post(SCRAPE, key, { url })).status;
  expect(await another()).toBe(429);
  expect((await answer()).length).toBeGreaterThan(100_000);
  await ended;
  expect(await another()).toBe(422);
});

test('a large page holds its slot until it has been read', async () => {
  const { world, service, key: own } = await newService();
  const { key } = await service.organization({ overrides: { concurrency: 1 } });
  world.web[url] = page('x'.repeat(1_000_000));
  const { stream, answer, ended } = streamingScraper(world, key);
  await once(stream, 'readable');
  const another = async (caller: string) => (await service.post(SCRAPE, caller, { url })).status;
  expect([await another(key), await another(own)]).toEqual([429, 200]);
  expect(await answer()).toHaveLength(1_000_000);
  await ended;
  expect(await another(key)).toBe(200);
});

const MAP = '/api/v1/map';
const robots = `${url}robots.txt`;
const sitemap = `${url}sitemap.xml`;

test('the first URLs of a site are sent before its sitemap has come, and its slot is held until the last', async () => {
  const { world, service } = await newService();
  const { key } = await service.organization({ overrides: { concurrency: 1 } });
  const late = Promise.withResolvers<Page>();
  world.web[url] = page('<title>Home</title><p>A page with words.</p><a href="/a">A</a>');
  world.web[robots] = page('', { status: 404 });
  world.web[sitemap] = () => late.promise;
  const { stream, answer, ended } = streamingScraper(world, key, {}, MAP);
  await once(stream, 'readable');
  const another = async () => (await service.post(SCRAPE, key, { url })).status;
  expect(await another()).toBe(429);
  late.resolve(page(`<urlset><url><loc>${url}b</loc></url></urlset>`, { contentType: 'application/xml' }));
  const lines = (await answer()).split('\n').filter(Boolean);
  expect(lines.map((line) => (JSON.parse(line) as { url?: string }).url)).toEqual([
    url,
    `${url}a`,
    `${url}b`,
    undefined,
  ]);
  await ended;
  expect(await another()).toBe(200);
});

test('files that are on their way are given up once the caller leaves', async () => {
  const { world, key } = await newService();
  const [large, slow] = [`${url}large.xml`, `${url}slow.xml`];
  world.web[url] = page('<title>Home</title><p>A page with words.</p>');
  world.web[robots] = page(`Sitemap: ${large}\nSitemap: ${slow}`, { contentType: 'text/plain' });
  const locations = Array.from({ length: 5_000 }, (_, n) => `<url><loc>${url}${n}</loc></url>`);
  world.web[large] = page(`<urlset>${locations.join('')}</urlset>`, { contentType: 'application/xml' });
  const requested = Promise.withResolvers<AbortSignal>();
  world.web[slow] = (signal) => {
    requested.resolve(signal);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  };
  const { stream, ended } = streamingScraper(world, key, {}, MAP);
  await once(stream, 'readable');
  const signal = await requested.promise;
  stream.destroy();
  await expect(ended).rejects.toThrow();
  await expect.poll(() => signal.aborted).toBe(true);
});

test('a caller that leaves ends the reading of its site, and is not charged', async () => {
  const { world, service, key } = await newService();
  world.web[url] = page(Array.from({ length: 5_000 }, (_, n) => `<a href="/${n}">A link</a>`).join(''));
  world.web[robots] = page('', { status: 404 });
  world.web[sitemap] = () => Promise.reject(new Error('It was requested.'));
  const { stream, ended, lines } = streamingScraper(world, key, {}, MAP);
  await once(stream, 'readable');
  stream.destroy();
  await expect(ended).rejects.toThrow();
  expect(lines).toMatchObject([{ message: 'request', status: 200, credits: 0 }]);
  expect((await service.post(SCRAPE, key, { url })).headers['X-Credits-Remaining']).toBe('999');
});
