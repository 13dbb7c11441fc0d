import { createHmac } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { attemptDelivery } from '../../functions/notifier/attempt-delivery.ts';
import { AppError } from '../../shared/errors.ts';
import { openRequestLog } from '../../shared/observe/request-log.ts';
import { type Document, finished, html, serves, SITE, started } from '../support/life/compat-life.ts';
import { serviceOver } from '../support/world/api.ts';
import { asNewOrganization, key, newServiceEachTest, service, world } from '../support/world/each-test.ts';
import { atEveryCall, mortal } from '../support/world/mortal.ts';

newServiceEachTest({ overrides: { credits: 1_000, concurrency: 10 } });

const HOOK = 'https://hooks.example/';
const SECRET = 'Bearer of-the-receiver';

type Event = { type: string; id: string; webhookId: string; success: boolean; data: Document[] };

beforeEach(() => {
  world.answers[HOOK] = 204;
});

async function deliver() {
  while ((await service.notify()).handled > 0);
}

/** What a URL has received, once nothing more is on its way. */
async function received(to = HOOK) {
  await deliver();
  return world.received
    .filter(({ url }) => url === to)
    .map(({ body, headers }) => ({ event: JSON.parse(body) as Event, body, headers }));
}

const pagesIn = (events: readonly { event: Event }[]) =>
  events.map(({ event }) => event).filter(({ type }) => type.endsWith('.page'));

const bySource = (documents: readonly Document[]) =>
  documents.toSorted((a, b) => String(a.metadata['scrapeId']).localeCompare(String(b.metadata['scrapeId'])));

const scraped = (events: readonly Event[]) => events.map(({ data: [page] }) => page?.metadata['scrapeId']);

/** The delivery whose message is the next one. */
function nextDelivery() {
  const [message] = world.notifierQueue.take();
  if (message === undefined || !('id' in message)) throw new Error('There is no message.');
  return message;
}

/** Lets time pass for retries and sweeps. */
async function pass(minutes: number) {
  for (let minute = 0; minute < minutes; minute += 1) {
    await deliver();
    world.pass(60_000);
    await service.sweepCrawls();
    await service.work();
    await service.sweepDeliveries();
  }
  await deliver();
}

const own = expect.any(String) as string;

/** A site of pages, one of which is there twice. */
function site(paths: readonly string[]) {
  serves('/robots.txt', '', { contentType: 'text/plain' });
  serves('/', html('Home', [...paths, '/twin']));
  for (const path of paths) serves(path, html(`Page ${path}`));
  serves('/twin', html(`Page ${paths[0]}`));
}

describe('a webhook of a crawl', () => {
  test('gets events in the shape of that API, signed by the whole text of the secret', async () => {
    const created = await service.post('/api/v1/webhooks', key, {
      url: 'https://own.example/',
      events: ['crawl.completed'],
    });
    const secret = String(
      (await service.ask('/api/v1/webhooks/default/rotate_secret', { key, method: 'POST' })).json['secret'],
    );
    expect(created.status).toBe(201);
    site(['/a']);
    const metadata = { run: '7' };
    const webhook = { url: HOOK, metadata, events: ['started', 'completed', 'failed'] };
    const { path, id, warning } = await started('/v2/crawl', { url: SITE, sitemap: 'skip', webhook });
    expect(warning).toBeUndefined();
    await finished(path);
    const events = await received();
    expect(events.map(({ event }) => event)).toEqual([
      { success: true, type: 'crawl.started', id, webhookId: own, data: [], metadata },
      { success: true, type: 'crawl.completed', id, webhookId: own, data: [], metadata },
    ]);
    for (const { event, body, headers } of events) {
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      expect(headers['X-Firecrawl-Signature']).toBe(`sha256=${signature}`);
      expect(headers['webhook-signature']).toMatch(/^v1,/);
      expect(headers['webhook-id']).toBe(event.webhookId);
    }
    const [native] = await received('https://own.example/');
    expect(native?.event).toMatchObject({ type: 'crawl.completed', data: { crawl_id: id } });
    expect(native?.headers).not.toHaveProperty('X-Firecrawl-Signature');
  });

  test('gets each document by itself, with the headers that it wants', async () => {
    site(['/a', '/b']);
    const headers = { Authorization: SECRET };
    const crawl = await started('/v2/crawl', { url: SITE, sitemap: 'skip', webhook: { url: HOOK, headers } });
    const { data } = await finished(crawl.path);
    expect(data).toHaveLength(3);
    const events = await received();
    const pages = pagesIn(events);
    expect(pages).toMatchObject(
      pages.map(() => ({ success: true, type: 'crawl.page', id: crawl['id'], data: [{}] })),
    );
    expect(bySource(pages.flatMap((page) => page.data))).toEqual(bySource(data));
    expect(new Set(events.map(({ event }) => event.webhookId)).size).toBe(5);
    for (const each of events) expect(each.headers['Authorization']).toBe(SECRET);
  });

  test('is nowhere shown or logged with its headers, nor stored with documents', async () => {
    site(['/a']);
    const webhook = { url: HOOK, headers: { Authorization: SECRET } };
    const { path } = await started('/v2/crawl', { url: SITE, sitemap: 'skip', webhook });
    await finished(path);
    expect(pagesIn(await received())).toHaveLength(2);
    const id = String(path.split('/').at(-1));
    const shown = await Promise.all(
      [
        ...[path, `${path}/errors`, '/v2/crawl/active'],
        ...[`/api/v1/crawls/${id}`, `/api/v1/crawls/${id}/urls`, `/api/v1/crawls/${id}/results`],
        ...['/api/v1/crawls', '/api/v1/account/activity', '/api/v1/webhooks/default/deliveries'],
      ].map((each) => service.ask(each, { key })),
    );
    expect(shown.map(({ status }) => status)).toEqual(shown.map(() => 200));
    const stored = JSON.stringify(world.deliveries.all());
    expect(`${shown.map(({ text }) => text).join()}${stored}${JSON.stringify(service.lines)}`).not.toContain(
      SECRET,
    );
    expect(stored).not.toContain('Page /a');
  });

  test('of a site that does not respond gets its failure', async () => {
    world.web[`${SITE}/robots.txt`] = new AppError('connect_failed');
    world.web[`${SITE}/`] = new AppError('connect_failed');
    const { path } = await started('/v2/crawl', { url: SITE, sitemap: 'skip', webhook: HOOK });
    await finished(path);
    expect((await received()).map(({ event }) => [event.type, event.success])).toEqual([
      ['crawl.started', true],
      ['crawl.failed', false],
    ]);
  });

  test('gets each document under one id, whichever call the worker that merges it dies at', async () => {
    /** A crawl whose second wave waits to be merged. */
    const open = async () => {
      site(['/a']);
      const webhook = { url: HOOK, events: ['page'] };
      const { path, id } = await started('/v2/crawl', { url: SITE, sitemap: 'skip', webhook });
      for (let turn = 0; turn < 20; turn += 1) {
        const { outcomes, wave } = (await world.crawls.find(String(id))) ?? {};
        const batch = wave && (await world.batches.find(wave.batchId));
        if (outcomes?.page === 1 && batch?.completedAt) return path;
        await service.work();
      }
      throw new Error('There is no second wave.');
    };
    await atEveryCall(
      open,
      async (path, death) => {
        const { hasDied, ...ports } = mortal(world, death);
        const dying = serviceOver({ ...ports, web: world.web, pass: world.pass });
        await dying.work(world.queue.take()).catch(() => undefined);
        const { data } = await finished(path);
        await pass(6);
        const id = path.split('/').at(-1);
        const pages = pagesIn(await received()).filter((page) => page.id === id);
        expect(data).toHaveLength(2);
        expect([new Set(pages.map(({ webhookId }) => webhookId)).size, new Set(scraped(pages)).size]).toEqual(
          [2, 2],
        );
        return hasDied();
      },
      3,
    );
  });
});

describe('a webhook of a batch', () => {
  // With one slot, its results are one part.
  beforeEach(() => asNewOrganization({ overrides: { credits: 1_000, concurrency: 1 } }));

  const batchOf = async (count: number, wanted: object = {}) => {
    const urls = Array.from({ length: count }, (_, n) => `${SITE}/p${n}`);
    urls.forEach((url, n) => serves(url, html(`Page ${n}`)));
    const webhook = { url: HOOK, events: ['page'] };
    const { path } = await started('/v2/batch/scrape', { urls, webhook, ...wanted });
    return finished(path);
  };

  test('gets the events that it wants', async () => {
    serves('/a', html('A'));
    const webhook = { url: HOOK, events: ['completed'] };
    const { path, id } = await started('/v2/batch/scrape', { urls: [`${SITE}/a`], webhook });
    await finished(path);
    expect((await received()).map(({ event }) => event)).toEqual([
      { success: true, type: 'batch_scrape.completed', id, webhookId: own, data: [], metadata: {} },
    ]);
  });

  test('gets the documents that are left after a failure, each with a whole schedule', async () => {
    const { post } = world;
    let calls = 0;
    // Every third request fails: more often than one delivery is tried.
    world.post = (request) => {
      world.answers[HOOK] = ++calls % 3 === 2 ? 500 : 204;
      return post(request);
    };
    const { data } = await batchOf(26);
    await pass(200);
    const pages = pagesIn(await received());
    expect(pages.length).toBeGreaterThan(26);
    // A part of 25 lines and the last, not a write for each.
    expect(world.deliveries.all()).toHaveLength(2);
    expect(new Set(scraped(pages))).toEqual(new Set(data.map(({ metadata }) => metadata['scrapeId'])));
    expect(world.deliveries.all().map(({ status }) => status)).toEqual(
      world.deliveries.all().map(() => 'delivered'),
    );
  });

  test('gets documents for eight seconds at a time from a slow receiver, each once', async () => {
    const { post } = world;
    world.post = (request) => {
      world.pass(5_000);
      return post(request);
    };
    await batchOf(7);
    await attemptDelivery(world, nextDelivery(), openRequestLog());
    expect(world.received).toHaveLength(2);
    const pages = pagesIn(await received());
    expect([pages.length, new Set(scraped(pages)).size]).toEqual([7, 7]);
  });

  test('gets a document without its page if that is too large, which says where it is', async () => {
    const large = `<p>${'x'.repeat(5_100_000)}</p>`;
    serves('/p0', html('Large') + large);
    serves('/p1', html('Small'));
    const webhook = { url: HOOK, events: ['page'] };
    const urls = [`${SITE}/p0`, `${SITE}/p1`];
    const { path } = await started('/v2/batch/scrape', { urls, webhook, formats: ['rawHtml'] });
    const { data } = await finished(path);
    const documents = bySource(pagesIn(await received()).flatMap((page) => page.data));
    expect(documents.map(({ rawHtml = '', warning }) => [String(rawHtml).length < 5_000, warning])).toEqual([
      [true, expect.stringContaining('GET /v2/scrape/')],
      [true, undefined],
    ]);
    expect(documents[1]).toEqual(bySource(data)[1]);
    expect(documents[0]?.metadata['scrapeId']).toBe(bySource(data)[0]?.metadata['scrapeId']);
  });

  test('gets each document under one id, whichever call the worker that runs it dies at', async () => {
    const open = async () => {
      const urls = [`${SITE}/a`, `${SITE}/b`];
      urls.forEach((url) => serves(url, html(url)));
      const webhook = { url: HOOK, events: ['page'] };
      return started('/v2/batch/scrape', { urls, webhook });
    };
    await atEveryCall(open, async ({ path, id }, death) => {
      const { hasDied, ...ports } = mortal(world, death);
      const dying = serviceOver({ ...ports, web: world.web, pass: world.pass });
      await dying.work(world.queue.take()).catch(() => undefined);
      await finished(path);
      await pass(6);
      const pages = pagesIn(await received()).filter((page) => page.id === id);
      expect([new Set(pages.map(({ webhookId }) => webhookId)).size, new Set(scraped(pages)).size]).toEqual([
        2, 2,
      ]);
      return hasDied();
    });
  });

  test('gets each document under one id, whichever call the notifier dies at', async () => {
    const open = async () => {
      world.received.length = 0;
      await batchOf(3);
    };
    await atEveryCall(open, async (_, death) => {
      const message = nextDelivery();
      const { hasDied, ...ports } = mortal(world, death);
      await attemptDelivery(ports, message, openRequestLog()).catch((error: unknown) => {
        if (!hasDied()) throw error;
      });
      await pass(6);
      const pages = pagesIn(await received());
      expect([new Set(pages.map(({ webhookId }) => webhookId)).size, new Set(scraped(pages)).size]).toEqual([
        3, 3,
      ]);
      expect((await world.deliveries.find(message))?.status).toBe('delivered');
      return hasDied();
    });
  });

  test('gets all documents again when they are delivered again, under their ids', async () => {
    await batchOf(2);
    const first = pagesIn(await received());
    const [delivery] = world.deliveries.all();
    const path = `/api/v1/webhooks/default/deliveries/${delivery?.id}/redeliver`;
    expect((await service.ask(path, { key, method: 'POST' })).status).toBe(202);
    expect(pagesIn(await received())).toEqual([...first, ...first]);
  });
});
