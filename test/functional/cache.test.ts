import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { KeyRestrictions } from '../../shared/contract/accounts/account.ts';
import type { Page } from '../../shared/contract/scrape/page.ts';
import type { ScrapeRequest } from '../../shared/contract/scrape/scrape-request.ts';
import { AppError } from '../../shared/errors.ts';
import { DAY_MS, SECOND_MS } from '../../shared/time/units.ts';
import { serviceOver } from '../support/world/api.ts';
import {
  JOBS,
  key,
  newServiceEachTest,
  orgId,
  service,
  shown,
  submitJob,
  usage,
  world,
} from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const BATCHES = `${SCRAPE}/batches`;
const CACHE = '/api/v1/cache';
const url = 'https://shop.example/list?b=2&a=1';
const WORDS = 'Blue shoes, sizes 36 to 44, in stock and sent within two days of your order.';
const HTML = `<html><body><h1>Shoes</h1><p>${WORDS}</p></body></html>`;
const WALL = '<title>Just a moment...</title>';
const HOUR = 3_600;

newServiceEachTest({ policy: { allow: [], hasPremiumProxy: true }, overrides: { credits: 1_000 } });

let asked: ScrapeRequest[] = [];

/** The target's answer, which has a validator and knows it again. */
function serves(more: Partial<Page> = {}, at = url): void {
  asked = [];
  const shownPage = page(HTML, { url: at, headers: { etag: '"1"' }, ...more });
  world.web[at] = (_, request) => {
    asked.push(request);
    const sent = request.headers?.['If-None-Match'];
    const isKnown = sent !== undefined && sent === shownPage.headers?.['etag'];
    return Promise.resolve(isKnown ? page('', { url: at, status: 304 }) : shownPage);
  };
}

const scrape = (more: object = {}, as = key) => service.post(SCRAPE, as, { url, max_age: HOUR, ...more });

async function came(more: object = {}, as = key) {
  const { status, headers } = await scrape(more, as);
  const { 'X-Cache': cache, Age: age, 'X-Credits-Used': used, 'X-Credits-Reason': reason } = headers;
  return { status, cache, age, used, reason };
}

async function restrictKey(restrictions: KeyRestrictions) {
  const [record] = await world.keys.list(orgId);
  if (record === undefined) throw new Error('There is no key.');
  await world.keys.save({ ...record, restrictions });
}

const MISS = { status: 200, cache: 'miss', age: undefined, used: '1', reason: 'page' };
const HIT = { status: 200, cache: 'hit', age: '0', used: '0', reason: 'cached' };

describe('a repeat', () => {
  test('is the page that was fetched, at once and free of charge', async () => {
    serves();
    const first = await scrape();
    world.pass(90 * SECOND_MS);
    const second = await scrape();
    expect(second.bytes).toEqual(first.bytes);
    const varying = {
      'X-Request-Id': '',
      'X-RateLimit-Reset': '',
      RateLimit: '',
      'X-RateLimit-Remaining': '',
    };
    const own = { 'X-Cache': 'hit', Age: '90', 'X-Credits-Used': '0', 'X-Credits-Reason': 'cached' };
    expect({ ...second.headers, ...varying }).toEqual({ ...first.headers, ...varying, ...own });
    expect(asked).toHaveLength(1);
    expect(await usage()).toMatchObject({ credits: { used: 1, available: 999 }, slots: { inUse: {} } });
  });

  test('takes no slot and needs no credits, but a place in the rate limit', async () => {
    serves();
    const poor = await service.organization({ overrides: { credits: 1, rpm: 3 } });
    expect(await came({}, poor.key)).toEqual(MISS);
    expect(await came({}, poor.key)).toEqual(HIT);
    expect(await came({ max_age: 1 }, poor.key)).toEqual(HIT);
    expect(await came({}, poor.key)).toMatchObject({ status: 429, cache: undefined });
  });

  test.each([
    ['a GET', `${SCRAPE}?max_age=60&url=${encodeURIComponent(url)}`],
    [
      'another spelling',
      `${SCRAPE}?max_age=60&url=${encodeURIComponent('HTTPS://shop.example:443/%6cist?b=2&a=1#top')}`,
    ],
    [
      'defaults that are sent',
      `${SCRAPE}?max_age=60&render_js=0&format=html&timeout=5000&url=${encodeURIComponent(url)}`,
    ],
  ])('is also %s', async (_, path) => {
    serves();
    await scrape();
    const { headers } = await service.ask(path, { key });
    expect(headers['X-Cache']).toBe('hit');
  });

  test.each([
    ['the order of the query', { url: 'https://shop.example/list?a=1&b=2' }],
    ['the format', { format: 'markdown' }],
    ['the browser', { render_js: true }],
    ['the proxy', { premium_proxy: true }],
    ['the mode', { mode: 'auto' }],
  ])('differs by %s', async (_, more) => {
    serves();
    await scrape();
    serves({}, 'url' in more ? more.url : url);
    expect(await came(more)).toMatchObject({ cache: 'miss' });
  });

  test('differs by the fragment only if scripts see it', async () => {
    const routes = [`${url}#/one`, `${url}#/two`];
    for (const each of routes) serves({ url: each }, each);
    for (const each of routes)
      expect(await came({ url: each, render_js: true })).toMatchObject({ cache: 'miss' });
    const [first, second] = routes;
    expect(await came({ url: first })).toMatchObject({ cache: 'miss' });
    expect(await came({ url: second })).toMatchObject({ cache: 'hit' });
  });

  test('differs by organization, and by the restrictions of the key', async () => {
    serves();
    await scrape();
    const other = await service.organization();
    expect(await came({}, other.key)).toEqual(MISS);
    await restrictKey({ formats: ['html', 'markdown'] });
    expect(await came()).toEqual(MISS);
    expect(await came()).toEqual(HIT);
  });

  test('reads the parts of one text free of charge', async () => {
    serves({ body: Buffer.from(`<h1>Shoes</h1>${`<p>${WORDS}</p>`.repeat(100)}`) });
    const first = await scrape({ format: 'text', max_chars: 1_000 });
    const next = Number(first.headers['X-Next-Offset']);
    const second = await scrape({ format: 'text', max_chars: 1_000, offset: next });
    expect(second.headers).toMatchObject({ 'X-Cache': 'hit', 'X-Credits-Used': '0' });
    expect(second.text).not.toBe(first.text);
    expect(asked).toHaveLength(1);
  });

  test('has no header without max_age or revalidate', async () => {
    serves();
    for (const more of [{ max_age: 0 }, { max_age: 0, revalidate: false }])
      expect(await came(more)).toMatchObject({ cache: undefined, used: '1' });
    expect(await came()).toEqual(MISS);
  });

  test('has no age by a clock that lags behind', async () => {
    serves();
    await scrape();
    world.pass(-5 * SECOND_MS);
    expect(await came()).toEqual(HIT);
  });

  test('is a page of any size', async () => {
    serves({ body: Buffer.from(`<p>${WORDS.repeat(2_000)}</p>`) });
    expect(await came()).toEqual(MISS);
    expect(await came()).toEqual(HIT);
  });
});

describe('a page that is not kept', () => {
  test.each<[string, Partial<Page> | AppError]>([
    [
      'a wall',
      {
        status: 403,
        body: Buffer.from(
          '<title>Access denied</title><h1>Unusual traffic from your network</h1><p>Are you a robot?</p>',
        ),
      },
    ],
    ['a wall that is sent as a page', { headers: { 'cf-mitigated': 'challenge' }, body: Buffer.from(WALL) }],
    ['an error of the target', { status: 500 }],
    ['a page that is not there', { status: 404 }],
    ['an empty page', { body: Buffer.from('') }],
    ['a page that was cut off', { contentTruncated: true }],
    ['a fault', new AppError('connect_failed')],
  ])('is %s', async (_, answer) => {
    if (answer instanceof AppError) world.web[url] = answer;
    else serves(answer);
    await scrape();
    expect(await came()).not.toMatchObject({ cache: 'hit' });
    serves();
    expect(await came()).toEqual(MISS);
  });

  test.each(['find', 'keep'] as const)('is every page while the cache fails at %s', async (port) => {
    serves();
    const broken = { ...world.pageCache, [port]: () => Promise.reject(new Error('down')) };
    const { post } = serviceOver({ ...world, pageCache: broken });
    for (let n = 0; n < 2; n += 1) {
      const { headers } = await post(SCRAPE, key, { url, max_age: HOUR });
      expect(headers).toMatchObject({ 'X-Cache': 'miss', 'X-Credits-Used': '1' });
    }
  });

  test('is a page whose bytes are gone', async () => {
    serves();
    await scrape();
    const changed = { ...world.results, open: () => world.results.open('results/none') };
    const { post } = serviceOver({ ...world, results: changed });
    expect((await post(SCRAPE, key, { url, max_age: HOUR })).headers['X-Cache']).toBe('miss');
  });

  test('is a page with other bytes than were stored', async () => {
    serves();
    await scrape();
    const changed = { ...world.results, open: () => Promise.resolve(Readable.from([Buffer.from('other')])) };
    const { post } = serviceOver({ ...world, results: changed });
    expect((await post(SCRAPE, key, { url, max_age: HOUR })).headers['X-Cache']).toBe('miss');
  });

  test('is every page of a stage without a cache', async () => {
    serves();
    const { post } = serviceOver({ ...world, pageCache: { ...world.pageCache, days: 0 } });
    for (let n = 0; n < 2; n += 1)
      expect((await post(SCRAPE, key, { url, max_age: HOUR })).headers).toMatchObject({
        'X-Cache': 'miss',
        'X-Credits-Used': '1',
      });
  });

  test('comes from a ladder that ended too low', async () => {
    serves();
    const missing = { mode: 'auto', wait_for: '.price', max_credits: 1 };
    await scrape(missing);
    expect(await came(missing)).toMatchObject({ cache: 'miss', used: '1' });
  });
});

describe('a page that is too old', () => {
  const later = () => world.pass(2 * HOUR * SECOND_MS);
  const RENEWED = { status: 200, cache: 'revalidated', age: '0', used: '1', reason: 'page' };

  test.each([
    ['plain', {}, '1'],
    ['rendered', { render_js: true }, '1'],
    ['premium', { premium_proxy: true }, '10'],
    ['rendered and premium', { render_js: true, premium_proxy: true }, '10'],
    ['of mode=auto', { mode: 'auto' }, '1'],
  ])('and %s is returned if the target says that it has not changed', async (_, more, used) => {
    serves();
    const first = await scrape(more);
    later();
    const second = await scrape(more);
    expect(second.bytes).toEqual(first.bytes);
    expect(second.headers).toMatchObject({ 'X-Cache': 'revalidated', Age: '0', 'X-Credits-Used': used });
    expect(asked).toMatchObject([{}, { renderJs: false, headers: { 'If-None-Match': '"1"' } }]);
    expect(await came(more)).toMatchObject({ cache: 'hit', age: '0' });
  });

  test.each([
    ['none', {}],
    ['one that cannot be sent back', { etag: '"é"' }],
  ])('is requested by its time, if of other validators it has %s', async (_, others) => {
    const time = 'Sat, 21 Nov 2026 07:00:00 GMT';
    serves({ headers: { 'last-modified': time, ...others } });
    await scrape();
    later();
    await scrape();
    expect(asked[1]?.headers).toEqual({ 'If-Modified-Since': time });
  });

  test('is fetched once, in one charge, if it has changed', async () => {
    serves();
    await scrape();
    later();
    serves({ headers: { etag: '"2"' }, body: Buffer.from(`<p>New: ${WORDS}</p>`) });
    const { text, headers } = await scrape();
    expect([text.includes('New'), headers['X-Cache'], headers['X-Credits-Used']]).toEqual([
      true,
      'miss',
      '1',
    ]);
    expect(asked).toHaveLength(1);
    expect(await usage()).toMatchObject({ credits: { used: 2 }, slots: { inUse: {} } });
    expect((await scrape()).text).toBe(text);
  });

  test('is rendered whatever else comes of the conditional request', async () => {
    serves();
    await scrape({ render_js: true });
    for (const answer of [
      page(HTML, { url, status: 503 }),
      new AppError('connect_failed'),
      page('', { url: 'https://shop.example/other', status: 304 }),
    ]) {
      later();
      world.web[url] = (_, request) => {
        if (request.renderJs) return Promise.resolve(page(HTML, { url, headers: { etag: '"1"' } }));
        return answer instanceof AppError ? Promise.reject(answer) : Promise.resolve(answer);
      };
      expect(await came({ render_js: true })).toEqual({ ...MISS, used: '5' });
    }
  });

  test('is requested by the validator that the target sent last', async () => {
    serves();
    await scrape();
    const sent: unknown[] = [];
    world.web[url] = (_, { headers }) => {
      sent.push(headers);
      return Promise.resolve(page('', { url, status: 304, headers: { etag: `"${sent.length + 1}"` } }));
    };
    for (let n = 0; n < 2; n += 1) {
      later();
      expect(await came()).toEqual(RENEWED);
    }
    expect(sent).toEqual([{ 'If-None-Match': '"1"' }, { 'If-None-Match': '"2"' }]);
  });

  test.each([
    ['that nothing matches', page('', { url, status: 412 })],
    ['about another page', page('', { url: 'https://shop.example/other', status: 304 })],
  ])('is fetched if the target says to the condition %s', async (_, answer) => {
    serves();
    await scrape();
    later();
    world.web[url] = (_signal, { headers }) => Promise.resolve(headers ? answer : page(HTML, { url }));
    const { text, headers } = await scrape();
    expect([text, headers['X-Cache'], headers['X-Credits-Used']]).toEqual([HTML, 'miss', '1']);
  });

  test('is not requested in a way that the credits do not pay', async () => {
    const { key: poor } = await service.organization({ overrides: { credits: 14 } });
    asked = [];
    world.web[url] = (_, request) => {
      asked.push(request);
      const status = request.headers ? 304 : request.premiumProxy ? 200 : 403;
      return Promise.resolve(page(HTML, { url, status, headers: { etag: '"1"' } }));
    };
    expect(await came({ mode: 'auto' }, poor)).toEqual({ ...MISS, used: '10' });
    later();
    await scrape({ mode: 'auto' }, poor);
    expect(asked.filter(({ premiumProxy }) => premiumProxy)).toHaveLength(1);
  });

  test('is fetched without a condition where that is requested, or impossible', async () => {
    serves();
    await scrape();
    later();
    expect(await came({ revalidate: false })).toEqual(MISS);
    expect(asked.map(({ headers }) => headers)).toEqual([undefined, undefined]);
    serves({ headers: {} });
    await scrape();
    later();
    await scrape();
    later();
    expect(await came()).toEqual(MISS);
  });

  test('is requested each time with revalidate alone', async () => {
    serves();
    expect(await came({ max_age: undefined, revalidate: true })).toEqual(MISS);
    expect(await came({ max_age: undefined, revalidate: true })).toEqual(RENEWED);
    expect(await came({ max_age: undefined, revalidate: true })).toEqual(RENEWED);
  });

  test('is fetched again once it has expired', async () => {
    serves();
    await scrape();
    world.pass(31 * DAY_MS);
    expect(await came({ max_age: 2_592_000 })).toEqual(MISS);
    expect(asked[1]?.headers).toBeUndefined();
  });
});

describe('jobs and batches', () => {
  test('a job that is a repeat ends at once, free of charge', async () => {
    serves();
    const first = await scrape();
    world.pass(60 * SECOND_MS);
    const id = await submitJob({ url, max_age: HOUR });
    await service.work();
    expect(await shown(id)).toMatchObject({
      status: 'completed',
      credits_used: 0,
      credits_reason: 'cached',
      cache: 'hit',
      age: 60,
    });
    const result = await service.ask(`${JOBS}/${id}/result`, { key });
    expect([result.bytes, result.headers['X-Cache']]).toEqual([first.bytes, 'hit']);
    expect(asked).toHaveLength(1);
  });

  test('the result of a job is returned for repeats until the job is deleted', async () => {
    serves();
    const id = await submitJob({ url, max_age: HOUR });
    await service.work();
    expect(await shown(id)).toMatchObject({ credits_used: 1, cache: 'miss' });
    expect(await came()).toEqual(HIT);
    await service.ask(`${JOBS}/${id}`, { key, method: 'DELETE' });
    expect(await came()).toEqual(MISS);
    expect(await came()).toEqual(HIT);
  });

  test('the page of a job is kept before the job ends', async () => {
    serves();
    const id = await submitJob({ url, max_age: HOUR });
    const statuses: unknown[] = [];
    const keep: typeof world.pageCache.keep = async (...kept) => {
      statuses.push((await shown(id))['status']);
      await world.pageCache.keep(...kept);
    };
    await serviceOver({ ...world, pageCache: { ...world.pageCache, keep } }).work();
    expect([statuses, (await shown(id))['status']]).toEqual([['running'], 'completed']);
  });

  test('a job differs by the restrictions of its key', async () => {
    serves();
    await scrape();
    await restrictKey({ formats: ['html', 'markdown'] });
    const id = await submitJob({ url, max_age: HOUR });
    await service.work();
    expect(await shown(id)).toMatchObject({ cache: 'miss', credits_used: 1 });
    expect(await came()).toEqual(HIT);
  });

  test('requests of a batch are repeats, and are kept', async () => {
    serves();
    const other = 'https://shop.example/other';
    await scrape();
    serves({}, other);
    const requests = [{ url }, { url: other, custom_id: 'new' }];
    const { json } = await service.post(BATCHES, key, { requests, defaults: { max_age: HOUR } });
    await service.work();
    const { text } = await service.ask(`${BATCHES}/${String(json['batch_id'])}/results`, { key });
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { url, cache: 'hit', age: 0, credits_used: 0, credits_reason: 'cached' },
      { url: other, cache: 'miss', credits_used: 1 },
    ]);
    expect(await came({ url: other })).toMatchObject({ cache: 'hit', used: '0' });
  });
});

describe('DELETE /api/v1/cache', () => {
  const forget = (target = url, as = key) =>
    service.ask(`${CACHE}?url=${encodeURIComponent(target)}`, { method: 'DELETE', key: as });

  test('forgets every page of a URL for its organization, and no other', async () => {
    serves();
    const other = await service.organization();
    for (const more of [{}, { format: 'markdown' }, { render_js: true }]) await scrape(more);
    await scrape({}, other.key);
    expect(await forget('HTTPS://SHOP.example/list?b=2&a=1#top')).toMatchObject({
      status: 204,
      text: '',
      headers: { 'X-Credits-Used': '0' },
    });
    for (const more of [{}, { format: 'markdown' }, { render_js: true }])
      expect(await came(more)).toMatchObject({ cache: 'miss' });
    expect(await came({}, other.key)).toEqual(HIT);
    expect((await forget('https://shop.example/none')).status).toBe(204);
  });

  test('forgets the results of jobs only as repeats', async () => {
    serves();
    const id = await submitJob({ url, max_age: HOUR });
    await service.work();
    await forget();
    expect(await came({ format: 'html' })).toEqual(MISS);
    expect((await service.ask(`${JOBS}/${id}/result`, { key })).status).toBe(200);
  });

  test.each([
    ['no URL', CACHE, 'url'],
    ['a value that is no URL', `${CACHE}?url=shop`, 'url'],
    ['another parameter', `${CACHE}?url=https://shop.example/&x=1`, 'x'],
  ])('refuses %s', async (_, path, param) => {
    const { status, json } = await service.ask(path, { method: 'DELETE', key });
    expect([status, json]).toEqual([400, expect.objectContaining({ code: 'invalid_request', param })]);
  });

  test('needs a key that may scrape', async () => {
    expect((await service.ask(`${CACHE}?url=${url}`, { method: 'DELETE' })).status).toBe(401);
    await restrictKey({ routes: ['jobs'] });
    expect((await forget()).json).toMatchObject({ code: 'key_not_allowed' });
  });
});

describe('max_age', () => {
  test.each([
    ['method', { method: 'POST' }],
    ['cookies', { cookies: 'a=1' }],
    ['headers', { headers: { 'X-A': '1' } }],
    ['session_id', { premium_proxy: true, session_id: 'a' }],
    ['js_scenario', { js_scenario: { instructions: [{ click: 'a' }] } }],
  ])('is refused with %s, wherever that is sent', async (param, more) => {
    const { status, json } = await scrape(more);
    expect([status, json['param'], json['message']]).toEqual([
      400,
      param,
      expect.stringContaining('not allowed with max_age'),
    ]);
    const batch = await service.post(BATCHES, key, { requests: [{ url }, { url, max_age: 1, ...more }] });
    expect(JSON.stringify(batch.json)).toContain(`requests[1].${param}`);
    expect((await service.post(JOBS, key, { url, max_age: 1, ...more })).json).toMatchObject({ param });
  });

  test('of 0 goes with everything, and keeps nothing', async () => {
    serves();
    for (let n = 0; n < 2; n += 1)
      expect(await came({ max_age: 0, revalidate: true, headers: { 'X-A': '1' } })).toMatchObject({
        cache: undefined,
        used: '1',
      });
  });
});
