import { describe, expect, test } from 'vitest';
import { Found, type WaveLine } from '../../shared/contract/crawls/wave.ts';
import { AppError } from '../../shared/errors.ts';
import { cancelWave } from '../../shared/use-cases/crawls/cancel-wave.ts';
import { newService, serviceOver } from '../support/world/api.ts';
import {
  beginWave,
  foundIn,
  overHttp,
  plannedIn,
  type Reply,
  site,
  storedCrawl,
} from '../support/life/crawl-waves.ts';

const BATCHES = '/api/v1/scraper/batches';

const html = (body: string, head = '') => `<!doctype html><html><head><title>A page</title>${head}</head>
<body><p>A shop for shoes, boots and socks of all kinds.</p>${body}</body></html>`;

type Options = { hostConcurrency?: number; request?: object; overrides?: object };

/** A service whose targets are a site, and a crawl of it. */
async function open(
  answer: (path: string, headers: NodeJS.Dict<string | string[]>) => Reply,
  { hostConcurrency = 8, request = {}, overrides = { concurrency: 10, credits: 1_000 } }: Options = {},
) {
  const { world } = await newService();
  const target = await site(answer, world.now);
  const policy = { allow: [target.host] };
  world.fetchPage = overHttp;
  const planned = plannedIn(world);
  const service = serviceOver(world, policy, {
    robotsToken: 'Sitefetch',
    mayIgnoreRobots: false,
    hostConcurrency,
  });
  const newCrawl = async () => {
    const { key, orgId } = await service.organization({ overrides });
    const [record] = (await world.keys.list(orgId)).filter(({ status }) => status === 'active');
    const crawl = storedCrawl(orgId, request, world.now(), record?.id);
    await world.crawls.create(crawl);
    return { key, orgId, crawl };
  };
  const { key, orgId, crawl } = await newCrawl();
  const at = (path: string) => new URL(path, target.origin).href;
  const ended = async (id: string) => (await world.batches.find(id))?.completedAt !== undefined;

  /** Lets time pass until a batch has ended. Returns how long that took, in seconds. */
  async function finish(id: string, most = 60) {
    const start = world.now().getTime();
    for (let turn = 0; turn < most && !(await ended(id)); turn++) {
      await service.work();
      if (await ended(id)) break;
      world.pass(10_000);
      for (const sweep of [service.sweep, service.sweepChunks, service.sweepBatches, service.sweepBacklogs])
        await sweep();
    }
    expect(await ended(id)).toBe(true);
    return (world.now().getTime() - start) / 1_000;
  }
  const chunksOf = (id: string) => world.chunks.all().filter(({ batchId }) => batchId === id);
  const found = async (id: string) => (await foundIn(world, chunksOf(id))).map((each) => Found.parse(each));
  const usage = async (of = orgId) => {
    const organization = await world.organizations.find(of);
    if (!organization) throw new Error('There is no organization.');
    return world.usage.read(organization, world.now());
  };
  return { world, service, target, key, orgId, crawl, newCrawl, at, finish, chunksOf, found, usage, planned };
}

describe('a wave of a crawl', () => {
  const pages: Record<string, Reply> = {
    '/': {
      body: html(
        '<a href="/a#top">A</a><a href="/b?x=1">B</a><a href="mailto:us@a.example">Us</a><a href="/a">Again</a>',
        '<link rel="canonical" href="/home#x">',
      ),
      headers: {
        ETag: '"1"',
        'Last-Modified': 'Sat, 21 Nov 2026 12:00:00 GMT',
        'Content-Usage': 'train-ai=n',
      },
    },
    '/old': { status: 301, headers: { Location: '/new' } },
    '/new': { body: html('<a href="../b">B</a>') },
    '/gone': { status: 404, body: html('<a href="/a">A</a>') },
    '/down': { status: 500, body: html('') },
    '/doc.pdf': { body: '%PDF-1.7', headers: { 'Content-Type': 'application/pdf' } },
  };

  test('has for each line what its page leads to', async () => {
    const { world, at, crawl, finish, found, usage } = await open((path) => pages[path] ?? { status: 404 });
    const id = await beginWave(world, crawl, [...Object.keys(pages).map(at), 'https://10.0.0.1/'], {
      firstLine: 101,
    });
    await finish(id);
    const [home, old, , gone, down, doc, refused] = await found(id);
    expect(home).toMatchObject({
      ...{
        line: 101,
        outcome: 'page',
        credits: 1,
        counter: 'plain_page',
        target_status: 200,
        verdict: 'page',
      },
      ...{ canonical: at('/home'), links: [at('/a'), at('/b?x=1')], content_usage: 'train-ai=n' },
      ...{ etag: '"1"', last_modified: 'Sat, 21 Nov 2026 12:00:00 GMT' },
    });
    expect(home?.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(old).toMatchObject({ line: 102, outcome: 'page', url: at('/new'), links: [at('/b')] });
    expect(gone).toMatchObject({ outcome: 'page', target_status: 404, credits: 1 });
    expect(gone).not.toHaveProperty('links');
    expect(down).toMatchObject({
      outcome: 'failed',
      target_status: 500,
      credits: 0,
      counter: 'plain_target_status',
    });
    expect(doc).toMatchObject({ outcome: 'page', target_status: 200 });
    expect(refused).toMatchObject({
      line: 107,
      outcome: 'failed',
      error_code: 'url_not_allowed',
      credits: 0,
    });
    expect((await usage()).credits.used).toBe(5);
  });

  test('is seen through its crawl alone, which is planned on at its end', async () => {
    const { world, service, at, crawl, key, finish, planned } = await open(() => ({ body: html('') }));
    const id = await beginWave(world, crawl, [at('/')]);
    const path = `${BATCHES}/${id}`;
    expect((await service.ask(path, { key })).status).toBe(404);
    expect((await service.ask(`${path}/results`, { key })).status).toBe(404);
    expect((await service.post(`${path}/cancel`, key, {})).status).toBe(404);
    expect((await service.ask(BATCHES, { key })).json).toEqual({ data: [] });
    await finish(id);
    expect(planned).toEqual([crawl.id]);
    expect((await service.ask(BATCHES, { key })).json).toEqual({ data: [] });
  });

  test('is divided by hosts and by the sizes of its chunks, and made once', async () => {
    const { world, crawl, chunksOf } = await open(() => ({}));
    const [some, more] = ['a', 'b'].map((host) => (n: number) => `https://${host}.example/${n}`);
    const urls = [...numbers(30, some), ...numbers(2, more), ...numbers(1, some)];
    const id = await beginWave(world, crawl, urls, { firstLine: 11, delay: 2_000 });
    const cut = chunksOf(id).map(({ firstLine, lines, crawl: of }) => [firstLine, lines, of?.host]);
    const expected = [
      [11, 25, 'a.example'],
      [36, 5, 'a.example'],
      [41, 2, 'b.example'],
      [43, 1, 'a.example'],
    ];
    expect(cut).toEqual(expected);
    expect(chunksOf(id)[0]?.crawl).toEqual({ id: crawl.id, host: 'a.example', concurrency: 2, delay: 2_000 });
    expect(await world.batches.find(id)).toMatchObject({ state: 'accepted', total: 33, crawlId: crawl.id });
  });
});

const numbers = <T>(count: number, each: ((n: number) => T) | undefined): T[] =>
  Array.from({ length: count }, (_, n) => each?.(n)).filter((one) => one !== undefined);

test('a page of an earlier crawl is requested only if it has changed', async () => {
  const answer = (path: string, headers: NodeJS.Dict<string | string[]>): Reply =>
    path === '/same' && headers['if-none-match'] === '"1"'
      ? { status: 304 }
      : { body: html(`<a href="/next">Next</a> ${path}`), headers: { ETag: '"2"' } };
  const { world, at, crawl, target, finish, found, usage } = await open(answer);
  const line = (path: string): WaveLine => {
    return { url: at(path), crawl: { place: 0, depth: 0, via: 'seed', since: { etag: '"1"' } } };
  };
  const id = await beginWave(world, crawl, [line('/same'), line('/other')]);
  await finish(id);
  const [same, other] = await found(id);
  expect(same).toMatchObject({ outcome: 'unchanged', target_status: 304, credits: 1, counter: 'plain_page' });
  expect(other).toMatchObject({ outcome: 'page', credits: 1, etag: '"2"', links: [at('/next')] });
  expect(target.visits.map(({ path }) => path)).toEqual(['/same', '/other']);
  expect((await usage()).credits.used).toBe(2);
});

describe('a host', () => {
  const many = Array.from({ length: 100 }, (_, n) => `/${n}`);

  test('has no more requests at once than the concurrency of the crawl', async () => {
    const { world, at, crawl, target, finish, found } = await open(() => ({ body: html('') }));
    const id = await beginWave(world, crawl, many.map(at));
    expect(world.queue.take()).toHaveLength(4);
    await finish(id);
    expect(target.most()).toBe(2);
    expect(await found(id)).toHaveLength(100);
  });

  test('has no more requests of two organizations at once than the stage allows', async () => {
    const options = { hostConcurrency: 3, request: { concurrency: 10 } };
    const { world, service, at, crawl, newCrawl, target, finish, found } = await open(
      () => ({ body: html('') }),
      options,
    );
    const other = await newCrawl();
    const paths = many.slice(0, 75).map(at);
    const ids = [await beginWave(world, crawl, paths), await beginWave(world, other.crawl, paths)];
    await service.work();
    for (const id of ids) await finish(id);
    expect(target.most()).toBeLessThanOrEqual(3);
    expect(target.most()).toBeGreaterThan(1);
    for (const id of ids) expect(await found(id)).toHaveLength(75);
    expect(target.visits).toHaveLength(150);
  });

  test.each([1_000, 12_000])('has requests %i ms apart', async (delay) => {
    const { world, at, crawl, target, finish } = await open(() => ({ body: html('') }), {
      request: { concurrency: 5 },
    });
    const id = await beginWave(world, crawl, many.slice(0, 30).map(at), { delay });
    await finish(id, 600);
    const gaps = target.visits.slice(1).map(({ at: time }, n) => time - (target.visits[n]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(delay);
    expect(target.visits.map(({ path }) => path).sort()).toEqual(many.slice(0, 30).sort());
  });

  test('that answers 429 is left alone for as long as it asks, at no cost', async () => {
    let refusals = 0;
    const answer = (path: string): Reply =>
      path === '/3' && ++refusals === 1
        ? { status: 429, headers: { 'Retry-After': '120' } }
        : { body: html(path) };
    const { world, at, crawl, target, finish, found, usage } = await open(answer, {
      request: { concurrency: 1 },
    });
    const id = await beginWave(world, crawl, many.slice(0, 6).map(at));
    await finish(id);
    const [, , , refused, next] = target.visits;
    expect([refused?.path, next?.path]).toEqual(['/3', '/3']);
    expect(Number(next?.at) - Number(refused?.at)).toBeGreaterThanOrEqual(120_000);
    expect((await found(id)).map(({ outcome, credits }) => [outcome, credits])).toEqual(
      Array.from({ length: 6 }, () => ['page', 1]),
    );
    expect((await usage()).credits.used).toBe(6);
  });

  test('that refuses a request of one worker is left alone by all', async () => {
    let [isRefusing, pause] = [true, () => {}];
    const answer = (path: string): Reply => {
      pause();
      const isRefused = isRefusing && path === '/3';
      if (isRefused) isRefusing = false;
      return isRefused ? { status: 429, headers: { 'Retry-After': '120' } } : { body: html(path) };
    };
    const { world, at, crawl, target, finish, found } = await open(answer);
    pause = () => world.pass(400);
    const id = await beginWave(world, crawl, many.slice(0, 50).map(at));
    await finish(id);
    const refusedAt = Number(target.visits.find(({ path }) => path === '/3')?.at);
    const during = target.visits.filter(
      ({ at: time }) => time > refusedAt + 3_000 && time < refusedAt + 120_000,
    );
    expect(during).toEqual([]);
    expect(await found(id)).toHaveLength(50);
  });

  test('that answers 503 after five pauses is given up', async () => {
    const options = { request: { concurrency: 1 } };
    const { world, at, crawl, target, finish, chunksOf, usage } = await open(
      () => ({ status: 503 }),
      options,
    );
    const id = await beginWave(world, crawl, many.slice(0, 30).map(at));
    await finish(id, 600);
    expect(chunksOf(id).map(({ rest, failed }) => [rest, failed])).toEqual([
      ['host_unavailable', 25],
      ['host_unavailable', 5],
    ]);
    const times = target.visits.map((visit) => visit.at);
    const pauses = times.slice(1).map((time, n) => time - Number(times[n]));
    expect(pauses).toHaveLength(5);
    expect(pauses.every((ms, n) => ms >= 30_000 * 2 ** n)).toBe(true);
    expect((await usage()).credits.used).toBe(0);
  });
});

test(
  'a URL that kills its worker is given up after five, and the others of its chunk are run',
  { timeout: 300_000 },
  async () => {
    const { world, service, at, crawl, finish, found } = await open((path) => ({ body: html(path) }));
    let begun = 0;
    world.fetchPage = async (request, context) => {
      if (request.url !== at('/40')) return overHttp(request, context);
      begun += 1;
      // A worker that never continues is as good as dead.
      return new Promise(() => undefined);
    };
    const urls = Array.from({ length: 60 }, (_, n) => at(`/${n}`));
    const id = await beginWave(world, crawl, urls, { sizes: [60] });
    for (let death = 1; death <= 5; death++) {
      void service.work();
      await expect.poll(() => begun, { timeout: 50_000 }).toBe(death);
      world.pass(300_000);
      await service.sweepChunks();
    }
    await finish(id);
    const ended = await found(id);
    expect(ended).toHaveLength(60);
    const failed = ended.filter(({ outcome }) => outcome === 'failed');
    expect(failed).toMatchObject([{ line: 41, error_code: 'attempts_exhausted' }]);
  },
);

test('a wave does not wait for another attempt of a URL, which is part of a later one', async () => {
  const { world, at, crawl, finish, found, usage } = await open((path) => ({ body: html(path) }));
  const triedAt: number[] = [];
  world.fetchPage = async (request, context) => {
    if (request.url !== at('/down')) return overHttp(request, context);
    triedAt.push(world.now().getTime());
    throw new AppError('connect_failed');
  };
  const id = await beginWave(world, crawl, [at('/down'), at('/up')]);
  expect(await finish(id)).toBeLessThan(10);
  const [down, up] = await found(id);
  expect([down, up]).toMatchObject([{ outcome: 'retry', attempts: 1, credits: 0 }, { outcome: 'page' }]);
  const due = new Date(world.now().getTime() + 45_000).toISOString();
  const line = { url: at('/down'), crawl: { place: 0, depth: 1, via: 'link', attempts: 2, due } } as const;
  const later = await beginWave(world, crawl, [line], { firstLine: 3 });
  expect(await finish(later)).toBeLessThan(60);
  expect(await found(later)).toMatchObject([{ line: 3, outcome: 'failed', error_code: 'connect_failed' }]);
  expect(triedAt).toHaveLength(2);
  expect(triedAt[1]).toBeGreaterThanOrEqual(Date.parse(due));
  expect((await usage()).credits.used).toBe(1);
});

test('a claim whose response is lost is the claim of its worker', async () => {
  const { world, at, crawl, finish, found, target } = await open((path) => ({ body: html(path) }));
  const { replace } = world.chunks;
  let isLost = false;
  world.chunks.replace = async (before, after) => {
    const isDone = await replace(before, after);
    if (isLost || after.status !== 'running') return isDone;
    isLost = true;
    return false;
  };
  const id = await beginWave(world, crawl, [at('/1'), at('/2')]);
  expect(await finish(id)).toBeLessThan(10);
  expect(await found(id)).toHaveLength(2);
  expect([isLost, target.visits.length]).toEqual([true, 2]);
});

test('a claim with the same token and another lease is the claim of another worker', async () => {
  const { world, service, at, crawl, target } = await open((path) => ({ body: html(path) }));
  const { replace } = world.chunks;
  world.chunks.replace = async (before, after) => {
    if (after.status !== 'running') return replace(before, after);
    const dueAt = new Date(Number(after.dueAt) + 1);
    return (await replace(before, { ...after, dueAt })) && false;
  };
  await beginWave(world, crawl, [at('/1'), at('/2')]);
  await service.work();
  expect(target.visits).toEqual([]);
  const host = await world.targetHosts.find(target.host);
  expect(host?.crawls[crawl.id]?.places ?? {}).toEqual({});
});

test('a turn of a crawl holds no more credits than leave the other scrapes some', async () => {
  const overrides = { concurrency: 5, credits: 400 };
  let held = 0;
  const { world, at, crawl, finish, usage } = await open((path) => ({ body: html(path) }), { overrides });
  world.fetchPage = async (request, context) => {
    const { slots } = await usage();
    held = Math.max(held, ...Object.values(slots.inUse).map(({ credits }) => credits));
    return overHttp(request, context);
  };
  const urls = Array.from({ length: 100 }, (_, n) => at(`/${n}`));
  await finish(await beginWave(world, crawl, urls, { sizes: [100] }));
  expect(held).toBe(40);
});

test('lines of a turn are as many as the credits that are left pay for', async () => {
  const overrides = { concurrency: 2, credits: 19 };
  const { world, at, crawl, finish, chunksOf } = await open((path) => ({ body: html(path) }), { overrides });
  const urls = Array.from({ length: 25 }, (_, n) => at(`/${n}`));
  const id = await beginWave(world, crawl, urls);
  await finish(id);
  const parts = chunksOf(id).map(({ parts: own, rest }) => [own.map(({ lines }) => lines), rest]);
  expect(parts).toEqual([[[19], 'insufficient_credits']]);
});

test('a wave that is cancelled leaves its lines unrun', async () => {
  const { world, at, crawl, planned } = await open(() => ({ body: html('') }));
  const id = await beginWave(world, crawl, [at('/1'), at('/2')]);
  world.queue.take();
  await cancelWave(world, id);
  expect(await world.batches.find(id)).toMatchObject({ cancelledAt: world.now(), completedAt: world.now() });
  expect(planned).toEqual([crawl.id]);
  expect(world.chunks.all().map(({ rest }) => rest)).toEqual(['cancelled']);
});
