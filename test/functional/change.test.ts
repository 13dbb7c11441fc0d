import { describe, expect, test } from 'vitest';
import type { Change } from '../../shared/contract/scrape/change.ts';
import { AppError } from '../../shared/errors.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/time/units.ts';
import { newService, serviceOver } from '../support/world/api.ts';
import {
  asNewOrganization,
  JOBS,
  key,
  newServiceEachTest,
  service,
  submitJob,
  world,
} from '../support/world/each-test.ts';
import { inMemoryPageCache, inMemoryWorld } from '../support/world/in-memory-world.ts';
import { atEveryCall, mortal } from '../support/world/mortal.ts';
import { page } from '../support/world/pages.ts';
import { expectRefused, expectRefusedInQuery } from '../support/world/refusals.ts';

const SCRAPE = '/api/v1/scraper';
const BATCHES = `${SCRAPE}/batches`;
const CACHE = '/api/v1/cache';
const url = 'https://shop.example/shoes';
const FIRST = '2026-11-21T12:00:00.000Z';
const SECOND = '2026-11-21T12:01:00.000Z';
const WORDS = 'Sizes 36 to 44, in stock and sent within two days of your order.';
const html = (price: string, clock = '12:00:00') =>
  `<html><body><h1>Shoes</h1><p class="price">${price}</p><p>${WORDS}</p><p>It is ${clock}.</p></body></html>`;
const DIFF = `--- previous
+++ current
@@ -1,6 +1,6 @@
 # Shoes
 
-20 EUR
+18 EUR
 
 ${WORDS}
 
`;
const extract = { of: 'extract' };
const rules = { price: '.price', gone: '.none' };

newServiceEachTest({ policy: { allow: [], hasPremiumProxy: true }, overrides: { credits: 1_000 } });

/** The next minute's answer of the target. */
function serves(...shown: Parameters<typeof page>) {
  world.pass(MINUTE_MS);
  world.web[url] = page(...shown);
}

const scrape = async (more: object = {}, as = key) =>
  service.post(SCRAPE, as, { url, format: 'change', ...more });
const change = async (more: object = {}, as = key) => (await scrape(more, as)).json;

/** The target's four answers, and what is said of each. */
async function story(compare: () => Promise<unknown>) {
  const said: unknown[] = [];
  const answers = [page(html('20 EUR')), page(html('20 EUR', '12:01:00')), page(html('18 EUR', '12:01:00'))];
  for (const answer of [...answers, page('<h1>Not here</h1>', { status: 404 })]) {
    world.web[url] = answer;
    said.push(await compare());
    world.pass(MINUTE_MS);
  }
  return said;
}

const at = (minute: number) => ({ previous_at: `2026-11-21T12:0${minute}:00.000Z` });
const TOLD: Change[] = [
  { status: 'new' },
  { status: 'same', ...at(0) },
  {
    status: 'changed',
    ...at(1),
    diff: DIFF,
  },
  { status: 'removed', ...at(2) },
];

describe('a page that is new, the same, changed and removed', () => {
  test.each([
    ['plain', {}],
    ['rendered', { render_js: true }],
    ['the cheapest way', { mode: 'auto' }],
  ])('is compared at once: %s', async (_, how) => {
    expect(await story(() => change(how))).toEqual(TOLD);
  });

  test('is compared by jobs', async () => {
    const said = await story(async () => {
      const id = await submitJob({ url, format: 'change' });
      await service.work();
      return (await service.ask(`${JOBS}/${id}/result`, { key })).json;
    });
    expect(said).toEqual(TOLD);
  });

  test.each(['sent', 'uploaded'])('is compared by batches, %s', async (how) => {
    const request = { url, format: 'change' };
    const said = await story(async () => {
      const sent = how === 'sent' ? { requests: [request] } : { input: 'upload' };
      const { json } = await service.post(BATCHES, key, sent);
      if (how === 'uploaded') {
        world.uploads.send(String(json['upload_url']), JSON.stringify(request));
        await service.post(`${BATCHES}/${String(json['batch_id'])}/start`, key, {});
        await service.work();
      }
      await service.work();
      const { text } = await service.ask(`${BATCHES}/${String(json['batch_id'])}/results?include=body`, {
        key,
      });
      return JSON.parse((JSON.parse(text) as { body: string }).body) as Change;
    });
    // Its chunks are due a little later.
    expect(said).toMatchObject(TOLD.map(({ status, diff }) => ({ status, ...(diff && { diff }) })));
  });

  test('costs what the page does, also once it is gone', async () => {
    const used = await story(async () => (await scrape({ render_js: true })).headers['X-Credits-Used']);
    expect(used).toEqual(['5', '5', '5', '5']);
  });
});

test('a page is compared with the last one, whichever way mode has found for either', async () => {
  serves(html('20 EUR'));
  expect(await change({ mode: 'auto' })).toEqual({ status: 'new' });
  world.web[url] = (_, { renderJs }) =>
    Promise.resolve(page(renderJs ? html('18 EUR') : '<div id="app"></div><script src="/a.js"></script>'));
  const { json, headers } = await scrape({ mode: 'auto' });
  expect([json, headers['X-Credits-Used']]).toEqual([
    { status: 'changed', previous_at: SECOND, diff: DIFF },
    '5',
  ]);
});

test('lines of a batch for the same page are compared with one another', async () => {
  await asNewOrganization({ overrides: { concurrency: 1 } });
  serves(html('20 EUR'));
  const requests = [{}, {}].map(() => ({ url, format: 'change' }));
  const { json } = await service.post(BATCHES, key, { requests });
  await service.work();
  const { text } = await service.ask(`${BATCHES}/${String(json['batch_id'])}/results?include=body`, { key });
  const bodies = text
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { body: string }).body);
  expect(bodies.map((body) => (JSON.parse(body) as Change).status)).toEqual(['new', 'same']);
});

test('values that changed are named by their paths', async () => {
  serves(html('20 EUR'));
  const fields = { change: extract, extract_rules: rules };
  expect(await change(fields)).toEqual({ status: 'new' });
  serves(html('18 EUR', '09:00:00'));
  const { status, fields: changed } = await change(fields);
  expect([status, changed]).toEqual(['changed', { price: { old: '20 EUR', new: '18 EUR' } }]);
  expect(await change(fields)).toMatchObject({ status: 'same' });
});

test('the envelope has the change beside other formats, and nothing that was only compared', async () => {
  serves(html('20 EUR'));
  await change({ change: extract, extract_rules: rules });
  serves(html('18 EUR'));
  const formats = ['change', 'links', 'html'];
  const { json } = await scrape({ format: 'json', formats, change: extract, extract_rules: rules });
  expect(json).toMatchObject({ change: { status: 'changed' }, links: [], html: html('18 EUR') });
  for (const name of ['extract', 'extract_report', 'compared', 'markdown'])
    expect(json).not.toHaveProperty(name);
  const both = await scrape({ format: 'json', formats: ['markdown', 'change'] });
  expect(both.json).toMatchObject({
    change: { status: 'new' },
    markdown: expect.stringContaining('# Shoes') as string,
  });
});

test('each tag, text, scope and organization has a last result of its own, and the context none', async () => {
  serves(html('20 EUR'));
  const other = (await service.organization({ overrides: { credits: 10 } })).key;
  const own = [
    {},
    { change: { tag: 'a' } },
    { change: { of: 'text' } },
    { scope: 'full' },
    { include_selectors: ['body'] },
    { exclude_selectors: ['.other'] },
    { render_js: true },
    { change: extract, extract_rules: rules },
    { change: extract, extract_rules: { price: '.price' } },
  ];
  for (const fields of own) expect(await change(fields)).toEqual({ status: 'new' });
  expect(await change({}, other)).toEqual({ status: 'new' });
  const known = [
    { change: { context: 0 } },
    { change: { of: 'markdown' } },
    { scope: 'auto', timeout: 5_000 },
  ];
  for (const fields of known) expect(await change(fields)).toMatchObject({ status: 'same' });
});

test('context says how many lines are around a change', async () => {
  serves(html('20 EUR'));
  await change();
  serves(html('18 EUR'));
  const { diff } = await change({ change: { context: 0 } });
  expect(diff).toBe('--- previous\n+++ current\n@@ -3,1 +3,1 @@\n-20 EUR\n+18 EUR\n');
});

describe('what is no page', () => {
  test.each([
    ['a wall', '<title>Just a moment...</title>', { status: 403, headers: { 'cf-mitigated': 'challenge' } }],
    [
      'a wall in place of a page',
      '<title>Just a moment...</title>',
      { status: 404, headers: { 'cf-mitigated': 'challenge' } },
    ],
    ['an error', '<h1>Down</h1>', { status: 500 }],
    ['an empty page', '<html><body></body></html>', {}],
    ['a page that was cut off', html('1 EUR'), { contentTruncated: true as const }],
  ])('is not compared, and is no result: %s', async (_, body, about) => {
    serves(html('20 EUR'));
    await change();
    serves(body, about);
    expect(await change()).toEqual({});
    serves(html('20 EUR'));
    expect(await change()).toMatchObject({ status: 'same', previous_at: SECOND });
  });

  test('is not removed if there was no page before', async () => {
    serves('<h1>Not here</h1>', { status: 410 });
    expect(await change()).toEqual({});
  });

  test('is removed until it is there again, compared with the last page', async () => {
    serves(html('20 EUR'));
    await change();
    for (let times = 0; times < 2; times += 1) {
      serves('{"error":"gone"}', { status: 410, contentType: 'application/json' });
      expect(await change()).toEqual({ status: 'removed', previous_at: SECOND });
    }
    serves(html('20 EUR'));
    expect(await change()).toEqual({ status: 'same', previous_at: SECOND });
  });

  test('is the best that mode found, where nothing has what was requested', async () => {
    serves(html('20 EUR'));
    const fields = { mode: 'auto', wait_for: '.price' };
    await change(fields);
    serves('<html><body><h1>Shoes</h1><p>Please wait for our new shop.</p></body></html>');
    expect(await change(fields)).toEqual({});
    serves(html('20 EUR'));
    expect(await change(fields)).toMatchObject({ status: 'same', previous_at: SECOND });
  });

  test('a page without such a format is refused free of charge', async () => {
    serves('%PDF-1.7', { contentType: 'application/pdf' });
    const { json, headers } = await scrape();
    expect([json['code'], headers['X-Credits-Used']]).toEqual(['not_convertible', '0']);
  });
});

test('results are forgotten with the pages of their URL, and after 30 days', async () => {
  serves(html('20 EUR'));
  for (let times = 0; times < 3; times += 1) await change();
  const { status } = await service.ask(`${CACHE}?url=${encodeURIComponent(url)}`, { key, method: 'DELETE' });
  expect([status, world.storedResults().filter((each) => each.includes('/cache/'))]).toEqual([204, []]);
  expect(await change()).toEqual({ status: 'new' });
  world.pass(30 * DAY_MS);
  expect(await change()).toEqual({ status: 'new' });
});

test('a result and the one before it are stored, however often a page is compared', async () => {
  for (let times = 0; times < 5; times += 1) {
    serves(html(`${times} EUR`));
    await change();
  }
  expect(world.storedResults()).toHaveLength(2);
});

test('of results at the same time each is compared with an earlier one, and one of them is the last', async () => {
  serves(html('20 EUR'));
  await change();
  let visits = 0;
  world.web[url] = () => Promise.resolve(page(html(`${(visits += 1)} EUR`)));
  const said = await Promise.all(
    Array.from({ length: 8 }, () => scrape({ format: 'json', formats: ['change', 'markdown'] })),
  );
  const texts = ['20 EUR', ...said.map(({ json }) => /\d+ EUR/.exec(String(json['markdown']))?.[0])];
  for (const [index, { json }] of said.entries()) {
    const { diff } = json['change'] as { diff: string };
    const [, old, now] = /-(\d+ EUR)\n\+(\d+ EUR)/.exec(diff) ?? [];
    expect(now).toBe(texts[index + 1]);
    expect(texts).toContain(old);
  }
});

test('a job says what has changed, whichever call its worker dies at', async () => {
  const job = { url, format: 'change' };
  const open = async () => {
    const { world: own, service: alive } = await newService();
    const { key: its } = await alive.organization({ overrides: { credits: 100 } });
    own.web[url] = page(html('20 EUR'));
    await alive.post(SCRAPE, its, job);
    own.web[url] = page(html('18 EUR'));
    const id = String((await alive.post(JOBS, its, job)).json.job_id);
    return { own, alive, its, id };
  };
  await atEveryCall(open, async ({ own, alive, its, id }, death) => {
    const { hasDied, ...ports } = mortal(own, death);
    await serviceOver({ ...ports, web: own.web, pass: own.pass })
      .work(own.queue.take())
      .catch(() => undefined);
    for (let minute = 0; minute < 9; minute += 1) {
      await alive.sweep();
      await alive.work();
      own.pass(MINUTE_MS);
    }
    const { json } = await alive.ask(`${JOBS}/${id}/result`, { key: its });
    expect(json).toMatchObject({ status: 'changed', previous_at: FIRST });
    expect((await alive.post(SCRAPE, its, job)).json).toMatchObject({ status: 'same' });
    return hasDied();
  });
});

test('a request without the format reads and keeps no result', async () => {
  const { pageCache, ...rest } = inMemoryWorld();
  const refused = () => Promise.reject(new AppError('internal'));
  const closed = { ...pageCache, find: refused, keep: refused };
  const over = serviceOver({ ...rest, pageCache: closed });
  rest.web[url] = page(html('20 EUR'));
  const { key: its } = await over.organization({ overrides: { credits: 10 } });
  expect((await over.post(SCRAPE, its, { url, format: 'markdown' })).status).toBe(200);
  expect((await over.post(SCRAPE, its, { url, format: 'change' })).status).toBe(500);
});

test('a service that keeps no results compares none, free of charge', async () => {
  const over = serviceOver({ ...inMemoryWorld(), pageCache: inMemoryPageCache(0) });
  const { key: its } = await over.organization({ overrides: { credits: 10 } });
  const { status, json, headers } = await over.post(SCRAPE, its, { url, format: 'change' });
  expect([status, json['param'], headers['X-Credits-Used']]).toEqual([400, 'format', '0']);
});

test.each([
  [{ change: { of: 'html' } }, 'change.of', 'expected one of markdown, text, extract'],
  [{ change: { tag: 'a b' } }, 'change.tag', 'expected 1 to 64 letters'],
  [{ change: { context: 21 } }, 'change.context', 'expected a whole number from 0 to 20'],
  [{ change: { diff: true } }, 'change.diff', 'Unknown field'],
  [{ change: {}, format: 'text' }, 'change', 'only allowed with the format change'],
  [{ change: {}, format: 'json', formats: ['text'] }, 'change', 'only allowed with the format change'],
  [{ change: extract }, 'extract_rules', 'is required'],
  [{ extract_rules: rules }, 'extract_rules', 'only allowed with extract'],
  [
    { change: extract, extract_rules: rules, scope: 'main' },
    'scope',
    'only allowed with markdown, text or clean_html',
  ],
  [{ max_chars: 1_000 }, 'max_chars', 'only allowed with format=markdown'],
  [{ max_age: 60 }, 'max_age', 'not allowed with the format change'],
  [{ revalidate: true }, 'revalidate', 'not allowed with the format change'],
  [{ headers: { 'X-A': '1' } }, 'headers', 'not allowed with the format change'],
  [{ cookies: 'a=1' }, 'cookies', 'not allowed with the format change'],
  [{ method: 'POST' }, 'method', 'not allowed with the format change'],
])('a comparison that cannot be made is refused: %j', (fields, path, problem) =>
  expectRefused(service, key, { format: 'change', ...fields }, { path, problem }),
);

test('options of a comparison are refused in a query string, the format is not', async () => {
  serves(html('20 EUR'));
  await expectRefusedInQuery(service, key, 'format=change&change=%7B%7D', 'change');
  const { json } = await service.ask(`${SCRAPE}?url=${url}&format=change`, { key });
  expect(json).toEqual({ status: 'new' });
});
