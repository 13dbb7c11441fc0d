import { afterAll, beforeEach, expect, test } from 'vitest';
import { faults, honest, modelServer } from '../support/servers/model-server.ts';
import { clientOf } from '../support/stack/client.ts';
import { ownStack } from '../support/stack/shared-stack.ts';
import { newOrganization } from '../support/world/organization.ts';

const model = await modelServer();
afterAll(() => model[Symbol.asyncDispose]());
const stack = await ownStack({
  model: {
    MODEL_URL: model.baseUrl,
    MODEL_NAME: 'stub',
    MODEL_STRUCTURED: 'json_schema',
    MODEL_KEY: 'm-key',
  },
});

const schema = {
  type: 'object',
  properties: { title: { type: 'string' }, count: { type: ['integer', 'null'] } },
  required: ['title'],
  additionalProperties: false,
};
const asked = { format: 'extract', extract_schema: schema, extract_prompt: 'The heading.' };
const url = `${stack.demoSite}/`;

let client: ReturnType<typeof clientOf>;
beforeEach(async () => {
  const { api_key: key } = await newOrganization(stack.storage);
  client = clientOf(stack.baseUrl, key);
  model.script = honest;
  model.asked.splice(0);
});

const usedCredits = async () => {
  const account = (await (await client.get('/api/v1/account')).json()) as { credits: { used: number } };
  return account.credits.used;
};
const title = expect.stringMatching(/\S/) as string;

test('a page is read by the model at once, and by a job', async () => {
  const answer = await client.scrape({ url, ...asked });
  expect([answer.status, await answer.json()]).toMatchObject([200, { title }]);
  const headers = Object.fromEntries(answer.headers);
  expect(headers).toMatchObject({ 'x-model-tokens': 'in=100, out=20', 'x-credits-used': '6' });
  const [{ page, authorization, messages } = { messages: [] }] = model.asked;
  const markdown = await (await client.scrape({ url, format: 'markdown' })).text();
  expect([page?.trim(), authorization]).toEqual([markdown.trim(), 'Bearer m-key']);
  expect(JSON.stringify(messages)).toContain('The heading.');
  const id = await client.submit({ url, ...asked, format: 'json', formats: ['extract', 'links'] });
  expect((await client.settled(id)).job).toMatchObject({ status: 'completed', credits_used: 6 });
  const result = await client.result(id);
  expect(result.headers.get('x-model-tokens')).toBe('in=100, out=20');
  expect(await result.json()).toMatchObject({
    extract: { title },
    extract_report: [{ path: 'title', evidence: 'quoted' }, { path: 'count' }],
    model_tokens: { in: 100, out: 20 },
  });
  await expect.poll(usedCredits).toBe(13);
});

test('rules come before the model, which fills the rest', async () => {
  const rules = { extract_rules: { title: 'h1', link: 'a@href', none: '.none' } };
  const answer = await client.scrape({ url, ...asked, ...rules });
  const heading = await client.scrape({ url, format: 'extract', extract_rules: { title: 'h1' } });
  expect(await answer.json()).toMatchObject({
    ...((await heading.json()) as object),
    link: expect.any(String) as string,
    none: null,
  });
});

test('lines of a batch and pages of a crawl are read, each for a price of its own', async () => {
  const requests = ['/', '/js', '/nowhere'].map((path) => ({ url: stack.demoSite + path }));
  const batch = await client.post('/api/v1/scraper/batches', { requests, defaults: asked });
  const { batch_id: id } = (await batch.json()) as { batch_id: string };
  const path = `/api/v1/scraper/batches/${id}`;
  const stateOf = async (at: string) => (await (await client.get(at)).json()) as { status: string };
  await expect.poll(() => stateOf(path), { timeout: 120_000 }).toMatchObject({ status: 'completed' });
  const read = { status: 'completed', credits_used: 6, model_tokens: { in: 100, out: 20 } };
  expect(await client.lines(`${path}/results`)).toMatchObject([read, read, read]);
  const crawl = { url: `${stack.demoSite}/magazine/`, limit: 2, request: asked, robots: 'obey' };
  const { crawl_id: crawlId } = (await (await client.post('/api/v1/crawls', crawl)).json()) as {
    crawl_id: string;
  };
  const at = `/api/v1/crawls/${crawlId}`;
  await expect.poll(() => stateOf(at), { timeout: 240_000 }).toMatchObject({ status: 'completed' });
  const pages = await client.lines<{ status: string }>(`${at}/results`);
  expect(pages.filter(({ status }) => status === 'completed')).toMatchObject([read, read]);
});

test.each<[keyof typeof faults, object, number, object]>([
  ['late', { timeout: 3_000 }, 504, { code: 'timeout', phase: 'model' }],
  ['cut', { timeout: 10_000 }, 502, { code: 'model_failed' }],
  ['length', {}, 422, { code: 'extraction_invalid' }],
  ['wrongJson', {}, 422, { code: 'extraction_invalid' }],
  ['invalid', {}, 422, { code: 'extraction_invalid' }],
  ['refusal', {}, 422, { code: 'extraction_invalid' }],
  ['filtered', {}, 422, { code: 'extraction_invalid' }],
  ['throttled', { timeout: 10_000 }, 502, { code: 'model_failed' }],
  ['html', { timeout: 10_000 }, 502, { code: 'model_failed' }],
])('a model that is %s is an error, which costs nothing', async (fault, fields, status, error) => {
  model.script = faults[fault];
  const answer = await client.scrape({ url, ...asked, ...fields });
  const { headers } = answer;
  expect([answer.status, await answer.json()]).toMatchObject([status, error]);
  expect([headers.get('x-credits-used'), headers.get('x-model-tokens')]).toEqual(['0', null]);
  await expect.poll(usedCredits).toBe(0);
});

test.each<[string, Parameters<typeof modelServer>[0]]>([
  ['wrong at first', faults.invalidOnce],
  ['throttled at first', (each) => (model.asked.length === 1 ? faults.throttled() : honest(each))],
  ['of wrong usage', faults.wrongUsage],
])('a model that is %s still brings values', async (_, script = honest) => {
  model.script = script;
  const answer = await client.scrape({ url, ...asked });
  expect([answer.status, await answer.json()]).toMatchObject([200, { title }]);
  await expect.poll(usedCredits).toBe(6);
});
