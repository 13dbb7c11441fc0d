import { beforeEach, expect, test } from 'vitest';
import { HOUR_MS } from '../../shared/time/units.ts';
import { pdfOf } from '../fixtures/documents/pdf.ts';
import { key, newServiceEachTest, service, usage, world } from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';
import { expectRefused, expectRefusedInQuery } from '../support/world/refusals.ts';

const SCRAPE = '/api/v1/scraper';
const url = 'https://example.com/';
const WORDS = 'Sizes 36 to 44, in stock and sent within two days of your order.';
const HTML = `<title>T</title><h1>Shoes</h1><p class="price">18 EUR</p><p>${WORDS}</p>`;
const MARKDOWN = `# Shoes\n\n18 EUR\n\n${WORDS}\n`;
const WALL = page('<title>Just a moment...</title><script>_cf_chl_opt</script>');
const schema = { type: 'object', properties: { name: { type: 'string' }, price: { type: 'number' } } };
const asked = { format: 'extract', extract_schema: schema };
const values = { name: 'Shoes', price: 18 };
const evidence = [
  { path: 'name', evidence: 'quoted' as const },
  { path: 'price', evidence: 'quoted' as const },
];

newServiceEachTest({
  policy: { allow: [], hasPremiumProxy: true, hasModel: true },
  overrides: { credits: 1_000 },
});
beforeEach(() => {
  world.web[url] = page(HTML);
  world.model.answer = () => ({ values, evidence, tokens: { in: 812, out: 44 } });
});

const scrape = (fields: object) => service.post(SCRAPE, key, { url, ...fields });
const used = async () => (await usage()).credits.used;

test('a schema brings the values that a model reads, for five credits beside the price of the page', async () => {
  const { status, headers, json } = await scrape({ ...asked, extract_prompt: 'Prices in EUR.' });
  expect([status, json]).toEqual([200, values]);
  expect(headers).toMatchObject({
    'Content-Type': 'application/json; charset=utf-8',
    'X-Model-Tokens': 'in=812, out=44',
    'X-Content-Scope': 'main',
    'X-Credits-Used': '6',
    'X-Credits-Reason': 'page',
  });
  expect(headers).not.toHaveProperty('X-Extract-Truncated');
  const { text } = world.model.asked[0] ?? {};
  expect(world.model.asked).toEqual([
    { schema, prompt: 'Prices in EUR.', markdown: MARKDOWN, text, found: undefined },
  ]);
  expect(text).toContain('18 EUR');
  expect(await usage()).toMatchObject({ credits: { used: 6 }, slots: { inUse: {} } });
});

test('json says where each value stands, and which rules have found none', async () => {
  world.model.answer = ({ found }) => ({ values: { ...values, ...found }, evidence, truncated: true });
  const fields = { format: 'json', formats: ['extract', 'links'], extract_schema: schema };
  const { json, headers } = await scrape({ ...fields, extract_rules: { title: 'h1', sku: '.sku' } });
  expect(json).toMatchObject({
    extract: { ...values, title: 'Shoes', sku: null },
    extract_report: [{ rule: 'sku', selector: '.sku', reason: 'no_match' }, ...evidence],
    extract_truncated: true,
    model_tokens: { in: 10, out: 2 },
    links: [],
  });
  expect(json).not.toHaveProperty('markdown');
  expect(json).not.toHaveProperty('text');
  expect(headers).toMatchObject({ 'X-Extract-Truncated': 'true', 'X-Model-Tokens': 'in=10, out=2' });
  expect(world.model.asked[0]?.found).toEqual({ title: 'Shoes', sku: null });
});

test('json has the text that the model has read, if that is wanted too', async () => {
  const { json } = await scrape({ ...asked, format: 'json', formats: ['markdown', 'extract', 'change'] });
  expect(json).toMatchObject({ markdown: MARKDOWN, extract: values, change: { status: 'new' } });
  expect(json).not.toHaveProperty('text');
});

test('a model reads the requested part of the page', async () => {
  const { headers } = await scrape({ ...asked, include_selectors: ['.price'] });
  expect(world.model.asked[0]?.markdown).toBe('18 EUR\n');
  expect(headers['X-Content-Scope']).toBe('selected');
  await scrape({ ...asked, scope: 'full' });
  expect(world.model.asked[1]?.markdown).toBe(MARKDOWN);
});

test('of a long page the model gets the first part, and the caller all', async () => {
  world.web[url] = page('<h2>Part</h2><p>Words that fill a page.</p>'.repeat(8_000));
  world.model.answer = ({ truncated }) => ({ values, evidence, truncated, tokens: { in: 1, out: 1 } });
  const { json } = await scrape({ format: 'json', formats: ['extract', 'markdown'], extract_schema: schema });
  const { markdown } = json as { markdown: string };
  const [question] = world.model.asked;
  expect(json).toMatchObject({ extract_truncated: true });
  expect(question).toMatchObject({ truncated: true });
  expect(markdown.startsWith(question?.markdown ?? 'none')).toBe(true);
  expect(markdown.length).toBeGreaterThan(1.2 * (question?.markdown.length ?? 0));
});

test.each([
  [{}, 6],
  [{ render_js: true }, 10],
  [{ premium_proxy: true }, 15],
  [{ render_js: true, premium_proxy: true }, 30],
])('a page with %j and a schema costs %i, at acceptance too', async (how, price) => {
  const refused = await scrape({ ...asked, ...how, max_credits: price - 1 });
  expect([refused.status, refused.json]).toMatchObject([402, { credits_required: price }]);
  expect((await scrape({ ...asked, ...how, max_credits: price })).headers['X-Credits-Used']).toBe(
    String(price),
  );
  expect(await used()).toBe(price);
  expect(world.model.asked).toHaveLength(1);
});

test('a document has Markdown, and so values by a schema, where rules find nothing', async () => {
  const pages = Array.from({ length: 60 }, (_, at) => ({
    texts: [{ text: `Page ${at + 1}`, x: 50, y: 700 }],
  }));
  world.web[url] = { ...page('', { contentType: 'application/pdf' }), body: pdfOf(pages) };
  const rules = { extract_rules: { title: 'h1' } };
  const { json, headers } = await scrape({ ...asked, ...rules, document: { pages: '1-60' } });
  expect(json).toEqual(values);
  expect(headers).toMatchObject({ 'X-Credits-Used': '7', 'X-Document-Pages': '60' });
  expect(world.model.asked[0]).toMatchObject({ found: undefined });
  expect(world.model.asked[0]?.markdown).toContain('Page 60');
  const required = { extract_rules: { title: { selector: 'h1', required: true } } };
  for (const fields of [
    { format: 'extract', ...rules },
    { ...asked, ...required },
  ])
    expect((await scrape(fields)).json).toMatchObject({ code: 'not_convertible', reason: 'type' });
  const short = await scrape({ ...asked, max_credits: 6 });
  expect(short.json).toMatchObject({ code: 'cost_cap_exceeded', credits_required: 7, max_credits: 6 });
  expect([world.model.asked.length, await used()]).toEqual([1, 7]);
});

test.each([
  ['a wall', WALL, 'wall', { target_status: 200, verdict: 'bot_wall', verdict_by: 'cloudflare' }],
  ['an error', page('Down', { status: 503 }), 'target_status', { target_status: 503 }],
])('%s is not read by the model, and costs nothing', async (_, answer, reason, about) => {
  world.web[url] = answer;
  const alone = await scrape(asked);
  expect([alone.status, alone.json]).toMatchObject([
    422,
    { code: 'not_convertible', reason: 'uncharged', ...about },
  ]);
  const formats = ['extract', 'html'];
  const { json, headers } = await scrape({ ...asked, format: 'json', formats });
  expect(json).toMatchObject({ status: about.target_status, html: answer.body.toString() });
  expect(json).not.toHaveProperty('extract');
  expect(headers).toMatchObject({ 'X-Credits-Used': '0', 'X-Credits-Reason': reason });
  expect([world.model.asked, await used()]).toEqual([[], 0]);
});

test('the cheapest way that works has its page read once, by the model', async () => {
  world.web[url] = (_, { renderJs }) =>
    Promise.resolve(page(renderJs ? HTML : '<div id="app"></div><script src="/a.js"></script>'));
  const { headers, json } = await scrape({ ...asked, mode: 'auto' });
  expect(json).toEqual(values);
  expect(headers).toMatchObject({ 'X-Mode-Tried': 'plain;empty, rendered;page', 'X-Credits-Used': '10' });
  world.web[url] = (_, { premiumProxy }) =>
    Promise.resolve(premiumProxy ? page(HTML) : page(HTML, { status: 403 }));
  const other = await scrape({ ...asked, mode: 'auto', max_age: 0 });
  expect(other.headers).toMatchObject({ 'X-Credits-Used': '15' });
  expect(world.model.asked).toHaveLength(2);
});

test('the ladder ends where the credits for the model end too', async () => {
  world.web[url] = page('<div id="app"></div><script src="/a.js"></script>');
  const { headers } = await scrape({ ...asked, mode: 'auto', max_credits: 9 });
  expect(headers).toMatchObject({ 'X-Mode-Tried': 'plain;empty', 'X-Credits-Used': '6' });
  expect((await scrape({ ...asked, mode: 'auto', max_credits: 5 })).json).toMatchObject({
    code: 'cost_cap_exceeded',
    credits_required: 6,
  });
  const problem = 'must be from 1 to 30 with mode and extract_schema';
  const fields = { ...asked, mode: 'auto', max_credits: 31 };
  await expectRefused(service, key, fields, { path: 'max_credits', problem });
});

test('a kept page costs nothing, and an unchanged one no second model', async () => {
  const headers = { etag: '"1"' };
  world.web[url] = (_, request) =>
    Promise.resolve(
      request.headers?.['If-None-Match'] === '"1"' ? page('', { status: 304 }) : page(HTML, { headers }),
    );
  const kept = { ...asked, max_age: 3_600 };
  const first = await scrape(kept);
  const hit = await scrape({ ...kept, scope: 'auto' });
  world.pass(2 * HOUR_MS);
  const revalidated = await scrape(kept);
  expect(
    [first, hit, revalidated].map(({ headers: sent }) => [sent['X-Cache'], sent['X-Credits-Used']]),
  ).toEqual([
    ['miss', '6'],
    ['hit', '0'],
    ['revalidated', '1'],
  ]);
  for (const { json, headers: sent } of [hit, revalidated]) {
    expect(json).toEqual(values);
    expect(sent).not.toHaveProperty('X-Model-Tokens');
  }
  expect((await scrape({ ...kept, extract_prompt: 'Other.' })).headers['X-Cache']).toBe('miss');
  expect(world.model.asked).toHaveLength(2);
});

test.each([
  [{ extract_schema: schema }, 'extract_schema', 'only allowed with extract'],
  [
    { format: 'extract', extract_rules: { a: 'h1' }, extract_prompt: 'x' },
    'extract_prompt',
    'only allowed with extract_schema',
  ],
  [{ ...asked, extract_prompt: '' }, 'extract_prompt', 'must not be empty'],
  [
    { ...asked, extract_prompt: 'x'.repeat(4_001) },
    'extract_prompt',
    'must not be longer than 4000 characters',
  ],
  [{ ...asked, extract_schema: { type: 'array' } }, 'extract_schema.type', 'expected "object"'],
  [
    { ...asked, extract_schema: { type: 'object', properties: { price: { type: 'money' } } } },
    'extract_schema.properties.price.type',
    'expected array, boolean',
  ],
  [{ ...asked, extract_schema: [] }, 'extract_schema', 'expected an object'],
  [
    {
      format: 'json',
      formats: ['extract', 'change'],
      change: { of: 'extract' },
      extract_rules: { a: 'h1' },
      extract_schema: schema,
    },
    'extract_schema',
    'not allowed with a change of extract',
  ],
])('a schema that says nothing, or is none, is refused: %j', (fields, path, problem) =>
  expectRefused(service, key, fields, { path, problem }),
);

test('a schema and a prompt are not taken in a query', async () => {
  await expectRefusedInQuery(service, key, 'format=extract&extract_schema=%7B%7D', 'extract_schema');
  await expectRefusedInQuery(service, key, 'extract_prompt=x', 'extract_prompt');
});
