import { describe, expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import {
  asNewOrganization,
  key,
  newServiceEachTest,
  service,
  usage,
  world,
} from '../support/world/each-test.ts';
import {
  finished,
  gathered,
  html,
  serves,
  SITE,
  started,
  type Status,
  statusOf,
} from '../support/life/compat-life.ts';

newServiceEachTest({ overrides: { credits: 1_000, concurrency: 10 } });

const urlsIn = ({ data }: Status) => data.map(({ metadata }) => String(metadata['sourceURL'])).sort();

describe('a crawl', () => {
  /** A site with a page behind a wall, a page that is disallowed and a link that leads nowhere. */
  function site() {
    serves('/robots.txt', 'User-agent: *\nDisallow: /private', { contentType: 'text/plain' });
    serves('/', html('Home', ['/a', '/wall', '/private', '/down', '/blog/1']));
    serves('/a', html('A'));
    serves('/blog/1', html('Blog'));
    serves('/wall', html('Wall'), { status: 403, headers: { 'cf-mitigated': 'challenge' } });
    world.web[`${SITE}/down`] = new AppError('connect_failed');
  }

  test('has a document for each page, a warning for a wall, and errors for the rest', async () => {
    site();
    const before = (await usage()).credits.available;
    const { path } = await started('/v2/crawl', { url: SITE, sitemap: 'skip', limit: 20 });
    expect(await statusOf(path)).toMatchObject({ status: 'scraping', completed: 0, data: [], next: null });
    const crawl = await finished(path);
    expect(crawl).toMatchObject({
      success: true,
      status: 'completed',
      total: 5,
      completed: 5,
      creditsUsed: 3,
    });
    expect(urlsIn(crawl)).toEqual(['/', '/a', '/blog/1', '/wall'].map((each) => SITE + each));
    const wall = crawl.data.find(({ metadata }) => metadata['statusCode'] === 403);
    expect(wall?.warning).toContain('bot wall');
    expect(wall?.metadata).toMatchObject({ creditsUsed: 0 });
    expect(crawl.data.find(({ metadata }) => metadata['title'] === 'A')?.['markdown']).toContain('# A');
    const sum = crawl.data.reduce((all, { metadata }) => all + Number(metadata['creditsUsed']), 0);
    expect([sum, before - (await usage()).credits.available]).toEqual([3, 3]);
    const errors = await service.ask(`${path}/errors`, { key });
    expect(errors.json).toMatchObject({
      robotsBlocked: [`${SITE}/private`],
      errors: expect.arrayContaining([
        expect.objectContaining({ url: `${SITE}/down`, code: 'SCRAPE_SITE_ERROR' }),
        expect.objectContaining({ url: `${SITE}/wall` }),
      ]) as object[],
    });
    const ids = (errors.json['errors'] as { id: string }[]).map(({ id }) => id);
    expect(crawl.data.filter(({ metadata }) => ids.includes(String(metadata['scrapeId'])))).toEqual([]);
  });

  test('requests only paths that are wanted, in the formats that are wanted', async () => {
    site();
    const { path, warning } = await started('/v2/crawl', {
      url: SITE,
      ...{
        sitemap: 'skip',
        includePaths: ['^/(blog|news)/.*$'],
        excludePaths: ['wall'],
        maxDiscoveryDepth: 2,
      },
      ...{ delay: 1, ignoreQueryParameters: true, crawlEntireDomain: true, maxConcurrency: 50 },
      scrapeOptions: { formats: ['links'], onlyMainContent: false },
    });
    expect(warning).toContain('maxConcurrency');
    const crawl = await finished(path);
    expect(urlsIn(crawl)).toEqual([`${SITE}/`, `${SITE}/blog/1`]);
    expect(Object.keys(crawl.data[0] ?? {}).sort()).toEqual(['links', 'metadata']);
  });

  test('of a site that does not respond has failed, and is no empty success', async () => {
    world.web[`${SITE}/robots.txt`] = new AppError('connect_failed');
    world.web[`${SITE}/`] = new AppError('connect_failed');
    const { path } = await started('/v2/crawl', { url: SITE, sitemap: 'skip' });
    const crawl = await finished(path);
    expect(crawl).toMatchObject({ status: 'failed', data: [], warning: expect.any(String) as string });
  });

  test('is active until it is cancelled', async () => {
    site();
    const { path, id } = await started('/v2/crawl', { url: SITE });
    const active = async () => (await service.ask('/v2/crawl/active', { key })).json['crawls'] as object[];
    expect(await active()).toMatchObject([{ id, url: `${SITE}/`, teamId: expect.any(String) as string }]);
    const cancelled = await service.ask(path, { key, method: 'DELETE' });
    expect([cancelled.status, cancelled.json]).toEqual([200, { success: true, status: 'cancelled' }]);
    expect(await active()).toEqual([]);
    expect(await statusOf(path)).toMatchObject({ status: 'cancelled' });
  });

  test.each([
    [{ prompt: 'All blog posts' }, 'prompt'],
    [{ allowExternalLinks: true }, 'allowExternalLinks'],
    [{ includePaths: ['/a', '^/\\d+$'] }, 'includePaths'],
    [{ scrapeOptions: { formats: ['menu'] } }, 'menu'],
    [{ scrapeOptions: { foo: 1 } }, "Unrecognized key in body: 'scrapeOptions.foo'"],
    [{ maxDepth: 2 }, "Unrecognized key in body: 'maxDepth'"],
    [{ scrapeOptions: { includeTags: ['a['] } }, 'includeTags[0]'],
    [{ webhook: { url: 'https://hooks.example/', events: ['paid'] } }, 'webhook.events'],
    [{ webhook: { url: 'https://hooks.example/', headers: { 'Webhook-Id': '1' } } }, 'Webhook-Id'],
    [{ webhook: { url: 'https://hooks.example/', headers: { Host: 'a' } } }, 'Host'],
    [{ webhook: { url: 'https://hooks.example/', headers: { 'X-A': 'a\r\nX-B: b' } } }, 'X-A'],
    [{ webhook: { url: 'https://hooks.example/', headers: { 'X-A': 'a'.repeat(8_192) } } }, 'headers'],
    [{ ignoreRobotsTxt: true }, 'robots'],
  ])('%j is refused by its name', async (options, problem) => {
    const { status, json } = await service.post('/v2/crawl', key, { url: SITE, ...options });
    expect([status, json['success']]).toEqual(['ignoreRobotsTxt' in options ? 403 : 400, false]);
    expect(json['error']).toContain(problem);
  });

  test('with an unknown id is not found, in any call', async () => {
    for (const [method, path] of [
      ['GET', '/v2/crawl/invalid-job-id'],
      ['DELETE', '/v2/crawl/invalid-job-id'],
      ['GET', '/v2/crawl/invalid-job-id/errors'],
      ['GET', '/v2/batch/scrape/invalid-job-id'],
    ] as const) {
      const { status, json } = await service.ask(path, { key, method });
      expect([status, json['success'], json['code']]).toEqual([404, false, 'NOT_FOUND']);
    }
  });
});

describe('a batch', () => {
  test('has a document for each URL, and says which are no URLs', async () => {
    serves('/a', html('A'));
    serves('/b', html('B'), { status: 404 });
    world.web[`${SITE}/c`] = new AppError('dns_failed');
    const urls = [`${SITE}/a`, `${SITE}/b`, `${SITE}/c`, 'http://127.0.0.1/', 'ftp://x/'];
    const { path, invalidURLs, warning } = await started('/v2/batch/scrape', { urls, maxConcurrency: 2 });
    expect(invalidURLs).toEqual(['http://127.0.0.1/', 'ftp://x/']);
    expect(warning).toContain('maxConcurrency');
    const batch = await finished(path);
    expect(batch).toMatchObject({ status: 'completed', total: 3, completed: 3, creditsUsed: 2, next: null });
    expect(urlsIn(batch)).toEqual([`${SITE}/a`, `${SITE}/b`]);
    expect(batch.data.find(({ metadata }) => metadata['statusCode'] === 404)?.warning).toContain('404');
    expect((await service.ask(`${path}/errors`, { key })).json).toMatchObject({
      robotsBlocked: [],
      errors: [{ url: `${SITE}/c`, code: 'SCRAPE_DNS_RESOLUTION_ERROR' }],
    });
  });

  test('with an invalid URL is refused, unless invalid URLs are ignored', async () => {
    const urls = [`${SITE}/a`, 'ftp://x/'];
    const { status, json } = await service.post('/v2/batch/scrape', key, { urls, ignoreInvalidURLs: false });
    expect([status, json['error']]).toEqual([400, 'These URLs are not valid: ftp://x/.']);
  });

  test('of more URLs than a native batch takes runs as an upload, once for its key', async () => {
    await asNewOrganization({ overrides: { credits: 5_000, concurrency: 50 } });
    const urls = Array.from({ length: 1_200 }, (_, n) => `${SITE}/p${n}`);
    urls.forEach((url) => serves(url, html(url)));
    const headers = { 'x-idempotency-key': 'once' };
    const submit = () => service.post('/v2/batch/scrape', key, { urls, formats: ['links'] }, headers);
    const [one, other] = [await submit(), await submit()];
    expect([one.status, other.json['id']]).toEqual([200, one.json['id']]);
    const batch = await finished(`/v2/batch/scrape/${String(one.json['id'])}`);
    expect(batch).toMatchObject({ status: 'completed', total: 1_200, creditsUsed: 1_200 });
    expect(batch.data).toHaveLength(1_200);
  });

  // Many large pages.
  test('can be read from any document on, page by page', { timeout: 300_000 }, async () => {
    const urls = Array.from({ length: 14 }, (_, n) => `${SITE}/p${n}`);
    const long = `<p>${'x'.repeat(900_000)}</p>`;
    urls.forEach((url) => serves(url, html(url) + long));
    const { path } = await started('/v2/batch/scrape', { urls, formats: ['rawHtml'] });
    const batch = await finished(path);
    expect(urlsIn(batch)).toEqual([...urls].sort());
    const first = await statusOf(path);
    expect([first.data.length < 14, first.next]).toEqual([
      true,
      expect.stringContaining(`?skip=${first.data.length}&`),
    ]);
    for (const skip of [9, first.data.length + 1]) {
      const rest = await gathered(`${path}?skip=${skip}`);
      expect(rest.data).toEqual(batch.data.slice(skip));
    }
    expect((await statusOf(`${path}?skip=-1`)).data).toEqual(first.data);
  });
});

describe('a scrape by its id', () => {
  const byId = (id: unknown) => service.ask(`/v2/scrape/${String(id)}`, { key });

  test('of a batch or crawl is its document again', async () => {
    serves('/robots.txt', '', { contentType: 'text/plain' });
    serves('/', html('Home', ['/a', '/b']));
    for (const path of ['/a', '/b']) serves(path, html(path));
    const urls = ['/', '/a', '/b'].map((path) => SITE + path);
    const batch = await started('/v2/batch/scrape', { urls });
    const crawl = await started('/v2/crawl', { url: SITE, sitemap: 'skip' });
    for (const { path } of [batch, crawl]) {
      const { data } = await finished(path);
      expect(data).toHaveLength(3);
      for (const each of data) {
        const { status, json } = await byId(each.metadata['scrapeId']);
        expect([status, json]).toEqual([200, { success: true, data: each }]);
      }
      expect((await byId(`${path.split('/').at(-1)}-4`)).status).toBe(404);
    }
    const documents = [(await statusOf(batch.path)).data[0], (await statusOf(crawl.path)).data[0]];
    await asNewOrganization({ overrides: { credits: 100 } });
    for (const document of documents) expect((await byId(document?.metadata['scrapeId'])).status).toBe(404);
  });

  test('of a batch whose pages are not kept as JSON says so, as its list does', async () => {
    serves('/a', html('A'));
    const batch = { requests: [{ url: `${SITE}/a` }], defaults: { format: 'markdown' } };
    const { json } = await service.post('/api/v1/scraper/batches', key, batch);
    const { data } = await finished(`/v2/batch/scrape/${String(json['batch_id'])}`);
    expect(data).toMatchObject([
      {
        warning: expect.stringContaining('format=json') as string,
        metadata: { sourceURL: `${SITE}/a`, statusCode: 200, creditsUsed: 1 },
      },
    ]);
    expect((await byId(data[0]?.metadata['scrapeId'])).json['data']).toEqual(data[0]);
  });

  test('that failed in a batch is its error', async () => {
    world.web[`${SITE}/c`] = new AppError('dns_failed');
    const { path, id } = await started('/v2/batch/scrape', { urls: [`${SITE}/c`] });
    await finished(path);
    const { status, json } = await byId(`${String(id)}-1`);
    expect([status, json['code']]).toEqual([500, 'SCRAPE_DNS_RESOLUTION_ERROR']);
  });

  test('of a job is its document, once it has ended and if it is kept as JSON', async () => {
    serves('/a', html('A'));
    const submitted = async (fields: object) =>
      (await service.post('/api/v1/scraper/jobs', key, { url: `${SITE}/a`, ...fields })).json['job_id'];
    const job = await submitted({ format: 'json', formats: ['markdown'] });
    const plain = await submitted({ format: 'html' });
    expect((await byId(job)).status).toBe(409);
    await service.work();
    expect((await byId(job)).json).toMatchObject({
      success: true,
      data: {
        markdown: expect.stringContaining('# A') as string,
        metadata: { scrapeId: job, sourceURL: `${SITE}/a`, statusCode: 200, creditsUsed: 1 },
      },
    });
    expect((await byId(plain)).status).toBe(404);
    await asNewOrganization();
    expect((await byId(job)).status).toBe(404);
  });
});

test.each([
  ['gets documents once its turn comes', 3, { documents: 2, isRepeated: false }],
  ['gets the same next again, if its turn is far off', 1, { documents: 0, isRepeated: true }],
])('a client that follows next %s, and is never refused', async (_, readsPerMinute, answer) => {
  await asNewOrganization({ overrides: { credits: 100, concurrency: 10, readsPerMinute } });
  const urls = Array.from({ length: 14 }, (_, n) => `${SITE}/p${n}`);
  const long = `<p>${'x'.repeat(900_000)}</p>`;
  urls.forEach((url) => serves(url, html(url) + long));
  const { path } = await started('/v2/batch/scrape', { urls, formats: ['rawHtml'] });
  await service.work();
  world.pass(600_000);
  const { next } = await statusOf(path);
  for (let call = 0; call < 5; call += 1) {
    const status = await statusOf(String(next).replace(/^https?:\/\/[^/]+/, ''));
    expect({ documents: status.data.length, isRepeated: status.next === next }).toEqual(answer);
  }
});

test('usage and limits are in the shape of other accounts', async () => {
  const asked = async (path: string) => (await service.ask(path, { key })).json;
  expect(await asked('/v2/team/credit-usage')).toMatchObject({
    success: true,
    data: { remainingCredits: 1_000, planCredits: 1_000, billingPeriodStart: expect.any(String) as string },
  });
  expect(await asked('/v2/team/token-usage')).toMatchObject({ data: { remainingTokens: 0 } });
  expect(await asked('/v2/team/queue-status')).toMatchObject({ jobsInQueue: 0, maxConcurrency: 10 });
  expect(await asked('/v2/concurrency-check')).toEqual({
    success: true,
    data: { concurrency: 0, maxConcurrency: 10 },
  });
});

test('a map lists the URLs of a site', async () => {
  serves('/robots.txt', '', { contentType: 'text/plain' });
  serves('/', html('Home', ['/a?x=1', '/a?x=2', '/b']));
  const { status, json } = await service.post('/v2/map', key, { url: SITE, sitemap: 'skip', limit: 10 });
  expect([status, json['success'], json['id']]).toEqual([200, true, expect.any(String)]);
  expect((json['links'] as { url: string }[]).map(({ url }) => url)).toEqual(
    ['/', '/a?x=1', '/b'].map((each) => SITE + each),
  );
});
