import { describe, expect, test } from 'vitest';
import { type Kind, kindOf } from '../../shared/contract/scrape/mode.ts';
import type { Page } from '../../shared/contract/scrape/page.ts';
import { AppError } from '../../shared/errors.ts';
import {
  asNewOrganization,
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
const url = 'https://shop.example/';
const WORDS = 'Blue shoes, sizes 36 to 44, in stock and sent within two days of your order.';
const PAGE = page(`<html><body><h1>Shoes</h1><p class="price">${WORDS}</p></body></html>`, { url });
const SHELL = page('<html><body><div id="app"></div><script src="/app.js"></script></body></html>', { url });
const CHALLENGE = page(
  '<html><title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/h/b/x.js"></script></html>',
  {
    url,
    status: 403,
    headers: { 'cf-mitigated': 'challenge' },
  },
);
const REFUSED = page(
  '<title>Access denied</title><h1>Unusual traffic from your network</h1><p>Are you a robot?</p>',
  { url, status: 403 },
);

newServiceEachTest({ policy: { allow: [], hasPremiumProxy: true }, overrides: { credits: 1_000 } });

/** Kinds of the requests to the target, in their order. */
let asked: Kind[] = [];

/** The target's answer to each kind; to others, it is the page. */
function responds(answers: Partial<Record<Kind, Page | AppError>>): void {
  asked = [];
  world.web[url] = (_, request) => {
    const kind = kindOf(request);
    asked.push(kind);
    const answer = answers[kind] ?? PAGE;
    return answer instanceof AppError ? Promise.reject(answer) : Promise.resolve(answer);
  };
}

const scrape = (more: object = {}) => service.post(SCRAPE, key, { url, mode: 'auto', ...more });

async function came(more: object = {}) {
  const { status, headers } = await scrape(more);
  return { status, tried: headers['X-Mode-Tried'], used: headers['X-Credits-Used'] };
}

describe('the ladder of mode=auto', () => {
  test.each<[string, Partial<Record<Kind, Page | AppError>>, string, number]>([
    ['a page that is there', {}, 'plain;page', 1],
    ['a shell for scripts', { plain: SHELL }, 'plain;empty, rendered;page', 5],
    ['an empty page', { plain: page('', { url }) }, 'plain;empty, rendered;page', 5],
    ['a challenge that a browser passes', { plain: CHALLENGE }, 'plain;bot_wall, rendered;page', 5],
    [
      'a challenge that it does not',
      { plain: CHALLENGE, rendered: CHALLENGE },
      'plain;bot_wall, rendered;bot_wall, premium;page',
      10,
    ],
    ['a refusal without scripts', { plain: REFUSED }, 'plain;bot_wall, premium;page', 10],
    [
      'a reset connection',
      { plain: new AppError('connect_failed') },
      'plain;connect_failed, premium;page',
      10,
    ],
    ['a status 429', { plain: page(WORDS, { url, status: 429 }) }, 'plain;page, premium;page', 10],
    [
      'walls everywhere but in the last way',
      { plain: CHALLENGE, rendered: CHALLENGE, premium: CHALLENGE },
      'plain;bot_wall, rendered;bot_wall, premium;bot_wall, both;page',
      25,
    ],
  ])('climbs from %s', async (_, answers, tried, used) => {
    responds(answers);
    expect(await came()).toEqual({ status: 200, tried, used: String(used) });
    expect(await usage()).toMatchObject({ credits: { used }, slots: { inUse: {} } });
  });

  test.each<[string, Page | AppError, number, string]>([
    ['404', page('gone', { url, status: 404 }), 200, 'plain;page'],
    ['500', page('', { url, status: 500 }), 200, 'plain;empty'],
    ['a fault of DNS', new AppError('dns_failed'), 502, 'plain;dns_failed'],
    ['402', page('pay', { url, status: 402 }), 200, 'plain;payment_required'],
  ])('ends at %s', async (_, answer, status, tried) => {
    responds({ plain: answer });
    expect(await came()).toMatchObject({ status, tried });
    expect(asked).toEqual(['plain']);
  });

  test('returns the best that came, uncharged if that is a wall', async () => {
    responds({ plain: REFUSED, premium: REFUSED, both: new AppError('timeout') });
    expect(await came()).toEqual({
      status: 200,
      tried: 'plain;bot_wall, premium;bot_wall, both;timeout',
      used: '0',
    });
  });

  test('climbs where the selector of wait_for is missing', async () => {
    responds({ plain: page(`<p>${WORDS}</p>`, { url }) });
    expect(await came({ wait_for: '.price' })).toMatchObject({ tried: 'plain;missing, rendered;page' });
    responds({});
    await asNewOrganization({ overrides: { credits: 100 } });
    expect(await came({ wait_for: '.price' })).toMatchObject({ tried: 'plain;page', used: '1' });
  });

  test('climbs where none of the elements is there that text is wanted of', async () => {
    const wanted = { format: 'text', include_selectors: ['table', '.price'] };
    responds({ plain: page(`<p>${WORDS}</p>`, { url }) });
    expect(await came(wanted)).toMatchObject({ tried: 'plain;missing, rendered;page' });
    responds({});
    await asNewOrganization({ overrides: { credits: 100 } });
    expect(await came(wanted)).toMatchObject({ tried: 'plain;page', used: '1' });
  });

  test('climbs where a required rule finds nothing, and is an error where it never does', async () => {
    const rules = { format: 'extract', extract_rules: { price: { selector: '.price', required: true } } };
    responds({ plain: page(`<p>${WORDS}</p>`, { url }) });
    expect(await came(rules)).toMatchObject({ tried: 'plain;missing, rendered;page', used: '5' });
    await asNewOrganization({ overrides: { credits: 100 } });
    const bare = page(`<p>${WORDS}</p>`, { url });
    responds({ plain: bare, rendered: bare, premium: bare, both: bare });
    const { status, json } = await scrape(rules);
    expect([status, json]).toMatchObject([
      422,
      {
        code: 'not_convertible',
        mode_tried: 'plain;missing, rendered;missing, premium;missing, both;missing',
      },
    ]);
    expect(await usage()).toMatchObject({ credits: { used: 0 }, slots: { inUse: {} } });
  });

  test('ends where required rules find their values in the few words of a rendered page', async () => {
    const price = { selector: '.price', required: true };
    const rules = { format: 'extract', extract_rules: { item: { selector: 'body', output: { price } } } };
    const few = (words: string) => page(`<div id="app"></div>${words}`, { url });
    responds({ plain: SHELL, rendered: few('<p class="price">20 EUR</p>') });
    const { headers, json } = await scrape(rules);
    expect([json, headers['X-Mode-Tried'], headers['X-Credits-Used']]).toEqual([
      { item: { price: '20 EUR' } },
      'plain;empty, rendered;empty',
      '5',
    ]);
    expect(await world.ladderMemory.find(orgId, 'shop.example', world.now())).toBeUndefined();
    responds({ plain: SHELL, rendered: few('<p>Loading</p>') });
    expect(await came(rules)).toMatchObject({ tried: 'plain;empty, rendered;missing, premium;page' });
  });

  test('begins with a browser if the request needs one', async () => {
    responds({});
    expect(await came({ wait: 10 })).toMatchObject({ tried: 'rendered;page', used: '5' });
  });
});

describe('what bounds the ladder of mode=auto', () => {
  test('max_credits', async () => {
    responds({ plain: CHALLENGE, rendered: CHALLENGE });
    expect(await came({ max_credits: 9 })).toMatchObject({
      tried: 'plain;bot_wall, rendered;bot_wall',
      used: '0',
    });
    expect(await came({ max_credits: 4, wait: 10 })).toMatchObject({ status: 402 });
  });

  test('the balance, which it says', async () => {
    await asNewOrganization({ overrides: { credits: 7 } });
    responds({ plain: CHALLENGE, rendered: CHALLENGE });
    expect(await came()).toEqual({
      status: 200,
      tried: 'plain;bot_wall, rendered;bot_wall, premium;insufficient_credits',
      used: '0',
    });
    expect(await usage()).toMatchObject({ credits: { available: 7 }, slots: { inUse: {} } });
  });

  test('402 only where not one credit is left', async () => {
    await asNewOrganization({ overrides: { credits: 1 } });
    responds({ plain: SHELL });
    expect(await came()).toMatchObject({ tried: 'plain;empty, rendered;insufficient_credits', used: '1' });
    expect(await came()).toMatchObject({ status: 402 });
  });

  test.each([
    ['render_js', { render_js: false }],
    ['premium_proxy', { premium_proxy: false }],
    ['method', { method: 'POST' }],
    ['body', { body: 'x', method: 'POST' }],
    ['max_credits', { max_credits: 0 }],
    ['max_credits', { max_credits: 26 }],
    ['mode', { mode: 'cheap' }],
  ])('%s is refused', async (param, more) => {
    responds({});
    const { status, json } = await scrape(more);
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toContain(`"param":"${param}"`);
    expect(asked).toEqual([]);
  });
});

describe('the memory of mode=auto', () => {
  test('begins a day long with the way that has worked, for its organization and host alone', async () => {
    responds({ plain: CHALLENGE, rendered: CHALLENGE });
    await came();
    expect(await world.ladderMemory.find(orgId, 'shop.example', world.now())).toBe('premium');
    const later = [];
    // One in twenty tries a cheaper way.
    for (let n = 0; n < 30; n += 1) later.push((await came()).tried);
    expect(later.filter((tried) => tried === 'premium;page').length).toBeGreaterThan(15);
    await asNewOrganization({ overrides: { credits: 100 } });
    expect((await came()).tried).toMatch(/^plain/);
  });

  test('ends after a day', async () => {
    await world.ladderMemory.keep(orgId, 'shop.example', 'both', world.now());
    responds({});
    world.pass(25 * 60 * 60 * 1_000);
    expect(await came()).toMatchObject({ tried: 'plain;page' });
  });

  test('does not keep a way whose page was a wall', async () => {
    responds({ plain: new AppError('connect_failed'), premium: REFUSED, both: REFUSED });
    expect(await came()).toMatchObject({ used: '0' });
    expect(await world.ladderMemory.find(orgId, 'shop.example', world.now())).toBeUndefined();
  });
});

describe('mode=auto of jobs and batches', () => {
  test('a job climbs in one slot, and says what was tried', async () => {
    responds({ plain: SHELL });
    const id = await submitJob({ url, mode: 'auto' });
    await service.work([id]);
    expect(await shown(id)).toMatchObject({
      status: 'completed',
      credits_used: 5,
      mode_tried: 'plain;empty, rendered;page',
    });
    const { headers } = await service.ask(`${JOBS}/${id}/result`, { key });
    expect(headers['X-Mode-Tried']).toBe('plain;empty, rendered;page');
    expect(await usage()).toMatchObject({ credits: { used: 5 }, slots: { inUse: {} } });
  });

  test('lines of a batch climb too, hold what they may cost, and are charged for the way that won', async () => {
    responds({ plain: SHELL });
    const other = 'https://other.example/';
    world.web[other] = PAGE;
    const requests = [{ url }, { url: other }];
    const { status, json } = await service.post(BATCHES, key, { defaults: { mode: 'auto' }, requests });
    expect(status).toBe(202);
    await service.work();
    const path = `${BATCHES}/${String(json['batch_id'])}`;
    const { text } = await service.ask(`${path}/results`, { key });
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map((line) => [line['mode_tried'], line['credits_used']]).toSorted()).toEqual([
      ['plain;empty, rendered;page', 5],
      ['plain;page', 1],
    ]);
    expect(await usage()).toMatchObject({ credits: { used: 6 }, slots: { inUse: {} } });
  });

  test('a line of a batch ends its ladder where the balance does', async () => {
    await asNewOrganization({ overrides: { credits: 6 } });
    responds({ plain: CHALLENGE, rendered: CHALLENGE });
    const { json } = await service.post(BATCHES, key, { requests: [{ url, mode: 'auto' }] });
    await service.work();
    const { text } = await service.ask(`${BATCHES}/${String(json['batch_id'])}/results`, { key });
    expect(text).toContain('plain;bot_wall, rendered;bot_wall, premium;insufficient_credits');
    expect(await usage()).toMatchObject({ credits: { available: 6 }, slots: { inUse: {} } });
  });

  test.each([['render_js'], ['premium_proxy'], ['method']])(
    '%s is refused beside it, by its path',
    async (name) => {
      const own = { url, mode: 'auto', [name]: name === 'method' ? 'GET' : false };
      const { status, json } = await service.post(BATCHES, key, { requests: [{ url }, own] });
      expect([status, json]).toMatchObject([400, { param: `requests[1].${name}` }]);
    },
  );

  test('activity and usage count the way whose page is returned', async () => {
    responds({ plain: SHELL });
    await came();
    const { json } = await service.ask('/api/v1/account/activity', { key });
    expect(json.data).toMatchObject([
      { credits: 5, mode_tried: 'plain;empty, rendered;page', options: { mode: 'auto' } },
    ]);
    const used = await service.ask('/api/v1/account/usage', { key });
    expect(JSON.stringify(used.json)).toContain('"kind":"rendered"');
  });
});
