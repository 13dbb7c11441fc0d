import { beforeEach, expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { newService } from '../support/world/api.ts';
import {
  JOBS,
  key,
  newServiceEachTest,
  service,
  shown,
  submitJob,
  usage,
  world,
} from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const SCRAPE = '/api/v1/scraper';
const BATCHES = `${SCRAPE}/batches`;
const CRAWLS = '/api/v1/crawls';
const url = 'https://example.com/';
const HTML = '<h1>Shoes</h1><p>18 EUR, sizes 36 to 44, in stock and sent within two days.</p>';
const schema = { type: 'object', properties: { price: { type: 'number' } } };
const asked = { format: 'extract', extract_schema: schema };
const INVALID = new AppError('extraction_invalid', { message: "The model's 'price' is no number." });

newServiceEachTest({ policy: { allow: [], hasModel: true }, overrides: { credits: 1_000 } });
beforeEach(() => {
  world.web[url] = page(HTML);
  world.model.answer = () => ({ values: { price: 18 }, tokens: { in: 812, out: 44 } });
});

const fail = (...errors: AppError[]) => {
  world.model.answer = () => {
    const error = errors.shift();
    if (error) throw error;
    return { values: { price: 18 }, truncated: true };
  };
};

const linesIn = ({ text }: { text: string }) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** The lines of a batch or a crawl. */
const linesOf = async (path: string) => linesIn(await service.ask(`${path}/results?include=body`, { key }));

test('a job has the values of its page, and says what the model took', async () => {
  fail();
  const id = await submitJob({ url, ...asked });
  await service.work();
  const took = { model_tokens: { in: 10, out: 2 }, extract_truncated: true };
  expect(await shown(id)).toMatchObject({ status: 'completed', credits_used: 6, ...took });
  const { headers, json } = await service.ask(`${JOBS}/${id}/result`, { key });
  expect(json).toEqual({ price: 18 });
  expect(headers).toMatchObject({ 'X-Model-Tokens': 'in=10, out=2', 'X-Extract-Truncated': 'true' });
  expect(await usage()).toMatchObject({ credits: { used: 6 }, slots: { inUse: {} } });
});

test.each([
  [INVALID, 422, 'no_page'],
  [new AppError('model_failed', { retryAfter: 7 }), 502, 'no_page'],
  [new AppError('timeout', { fields: { phase: 'model' } }), 504, 'no_page'],
])(
  'an error of the model is an error of the scrape, which costs nothing: %s',
  async (error, status, reason) => {
    fail(error);
    const answer = await service.post(SCRAPE, key, { url, ...asked });
    const { code, fields, retryAfter } = error;
    expect([answer.status, answer.json]).toMatchObject([
      status,
      { code, ...fields, ...(retryAfter !== undefined && { retry_after: retryAfter }) },
    ]);
    expect(answer.headers).toMatchObject({ 'X-Credits-Used': '0', 'X-Credits-Reason': reason });
    expect(answer.headers['Retry-After']).toBe(retryAfter === undefined ? undefined : String(retryAfter));
    expect(answer.text).not.toMatch(/tokens/i);
    expect(await usage()).toMatchObject({ credits: { used: 0 }, slots: { inUse: {} } });
  },
);

test('a job whose model failed tries again, after the time that the model wants', async () => {
  fail(new AppError('model_failed', { retryAfter: 60 }), new AppError('timeout'));
  const id = await submitJob({ url, ...asked });
  await service.work();
  expect(await shown(id)).toMatchObject({ status: 'running', last_error: { code: 'model_failed' } });
  const { next_attempt_at: at } = await shown(id);
  expect(Date.parse(String(at)) - world.now().getTime()).toBe(60_000);
  for (let turn = 0; turn < 2; turn += 1) {
    world.pass(61_000);
    await service.work([id]);
  }
  expect(await shown(id)).toMatchObject({ status: 'completed', attempts: 3, credits_used: 6 });
});

test('a job whose values are not valid ends at once, uncharged', async () => {
  fail(INVALID);
  const id = await submitJob({ url, ...asked });
  await service.work();
  const ended = { status: 'failed', attempts: 1, error_code: 'extraction_invalid', error: INVALID.message };
  expect(await shown(id)).toMatchObject({ ...ended, credits_used: 0, credits_reason: 'no_page' });
  const { status, json } = await service.ask(`${JOBS}/${id}/result`, { key });
  expect([status, json]).toMatchObject([422, { code: 'extraction_invalid', retryable: false }]);
});

test('lines of a batch have values, tokens and a price of their own', async () => {
  const urls = ['a', 'b', 'c'].map((name) => url + name);
  for (const each of urls) world.web[each] = page(each.endsWith('a') ? 'No price' : HTML, { url: each });
  world.model.answer = ({ text }) => {
    if (!text.includes('EUR')) throw INVALID;
    return { values: { price: 18 }, truncated: true };
  };
  const batch = { requests: urls.map((each) => ({ url: each })), defaults: asked };
  const refused = await service.post(BATCHES, key, { ...batch, max_credits: 17 });
  expect(refused.json).toMatchObject({ code: 'cost_cap_exceeded', credits_required: 18 });
  const { json } = await service.post(BATCHES, key, batch);
  await service.work();
  const lines = await linesOf(`${BATCHES}/${String(json['batch_id'])}`);
  const done = { status: 'completed', credits_used: 6, body: '{"price":18}', extract_truncated: true };
  expect(lines).toMatchObject([
    { status: 'failed', error_code: 'extraction_invalid', credits_used: 0, attempts: 1 },
    { ...done, model_tokens: { in: 10, out: 2 } },
    done,
  ]);
  expect(await usage()).toMatchObject({ credits: { used: 12 }, slots: { inUse: {} } });
});

test('a crawl reads values from each of its pages, within its credits', async () => {
  world.web[url] = page(`${HTML}<a href="/a">a</a>`);
  world.web[`${url}a`] = page(HTML, { url: `${url}a` });
  const wanted = { url, request: asked, sitemaps: 'skip', robots: 'report' };
  const refused = await service.post(CRAWLS, key, { ...wanted, max_credits: 5 });
  expect(refused.json).toMatchObject({ code: 'cost_cap_exceeded', credits_required: 6 });
  const { json } = await service.post(CRAWLS, key, { ...wanted, max_credits: 11 });
  const path = `${CRAWLS}/${String(json['crawl_id'])}`;
  for (let turn = 0; turn < 10; turn += 1) {
    await service.work();
    world.pass(60_000);
    await service.sweepCrawls();
  }
  const lines = await linesOf(path);
  expect(lines).toMatchObject([{ url, body: '{"price":18}', credits_used: 6, model_tokens: { in: 812 } }]);
  expect((await service.ask(path, { key })).json).toMatchObject({ stop_reason: 'max_credits' });
});

test('values of a changed page that the model failed to read are not what the next result is compared with', async () => {
  const changed = { ...asked, format: 'json', formats: ['extract', 'change'] };
  fail(new AppError('model_failed'));
  expect((await service.post(SCRAPE, key, { url, ...changed })).status).toBe(502);
  const { json } = await service.post(SCRAPE, key, { url, ...changed });
  expect(json).toMatchObject({ extract: { price: 18 }, change: { status: 'new' } });
});

const PARAMS: [path: string, body: object, param: string][] = [
  [SCRAPE, { url, ...asked }, 'extract_schema'],
  [JOBS, { url, ...asked }, 'extract_schema'],
  [BATCHES, { requests: [{ url }, { url, ...asked }] }, 'requests[1].extract_schema'],
  [BATCHES, { requests: [{ url }], defaults: asked }, 'defaults.extract_schema'],
  [CRAWLS, { url, request: asked }, 'request.extract_schema'],
];

test.each(PARAMS)('without a model, %s refuses a schema where it stands', async (path, body, param) => {
  const { service: other, key: own } = await newService({ allow: [] });
  const { status, json } = await other.post(path, own, body);
  expect([status, json]).toMatchObject([400, { code: 'model_not_configured', param, retryable: false }]);
});

test('without a model, the lines of an upload that have a schema fail alone', async () => {
  const { world: bare, service: other, key: own } = await newService({ allow: [] });
  bare.web[url] = page(HTML);
  const { json } = await other.post(BATCHES, own, { input: 'upload' });
  const path = `${BATCHES}/${String(json['batch_id'])}`;
  const lines = [{ url }, { url, ...asked }].map((line) => JSON.stringify(line));
  bare.uploads.send(String(json['upload_url']), lines.join('\n'));
  await other.ask(`${path}/start`, { method: 'POST', key: own });
  for (let turn = 0; turn < 3; turn += 1) await other.work();
  expect(linesIn(await other.ask(`${path}/results`, { key: own }))).toMatchObject([
    { status: 'completed', credits_used: 1 },
    { status: 'failed', invalid: true, error_code: 'model_not_configured', credits_used: 0 },
  ]);
});
