import { beforeEach, describe, expect, test } from 'vitest';
import { mergeValues } from '../../shared/compat/merge-values.ts';
import { AppError } from '../../shared/errors.ts';
import { finished, html, serves, SITE, started } from '../support/life/compat-life.ts';
import { sweepWork } from '../support/world/api.ts';
import { key, newServiceEachTest, service, usage, world } from '../support/world/each-test.ts';

const EXTRACT = '/v2/extract';
const schema = { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] };

newServiceEachTest({
  policy: { allow: [], hasModel: true },
  overrides: { credits: 1_000, concurrency: 10 },
});
beforeEach(() => {
  serves('/', html('Home', ['/a']));
  serves('/a', html('A'));
  // The heading of each page.
  world.model.answer = ({ markdown }) => ({
    values: { json: { title: /^# (.*)$/m.exec(markdown)?.[1], tags: ['all', markdown.slice(0, 5)] } },
  });
});

const submitted = (body: object) => service.post(EXTRACT, key, body);

/** An extract once it has ended. */
async function extracted(body: object): Promise<Record<string, unknown>> {
  const { status, json, text } = await submitted(body);
  expect([status, text]).toEqual([200, text]);
  const path = `${EXTRACT}/${String(json['id'])}`;
  for (let turn = 0; turn < 60; turn += 1) {
    const answer = await service.ask(path, { key });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    if (answer.json['status'] !== 'processing') return answer.json;
    await service.work();
    world.pass(60_000);
    await sweepWork(service);
  }
  throw new Error('It does not end.');
}

describe('an extract', () => {
  test('has the values of its pages as one object, with their sources, for the price of the pages', async () => {
    const urls = [`${SITE}/`, `${SITE}/a`];
    const read = await extracted({ urls, schema, prompt: 'The heading.', showSources: true });
    expect(read).toEqual({
      ...{ success: true, status: 'completed', id: read['id'], creditsUsed: 12 },
      expiresAt: expect.any(String) as string,
      data: { title: expect.stringMatching(/^(Home|A)$/) as string, tags: expect.any(Array) as string[] },
      sources: {
        title: expect.arrayContaining(urls) as string[],
        tags: expect.arrayContaining(urls) as string[],
      },
    });
    expect((read['data'] as { tags: string[] }).tags.toSorted()).toEqual(['# A\n\n', '# Hom', 'all']);
    expect((await usage()).credits.used).toBe(12);
    expect(world.model.asked[0]).toMatchObject({
      prompt: 'The heading.',
      schema: { type: 'object', properties: { json: schema }, required: ['json'] },
    });
  });

  test('is processing until it has ended', async () => {
    const { json } = await submitted({ urls: [SITE], prompt: 'The heading.' });
    const answer = await service.ask(`${EXTRACT}/${String(json['id'])}`, { key });
    expect(answer.json).toMatchObject({ success: true, status: 'processing', data: [] });
  });

  test('reads the whole site of a URL that ends with a star, as robots.txt allows', async () => {
    serves('/robots.txt', 'User-agent: *\nDisallow: /a', { contentType: 'text/plain' });
    serves('/', html('Home', ['/a', '/b']));
    serves('/b', html('B'));
    const read = await extracted({ urls: [`${SITE}/*`], schema, ignoreSitemap: true });
    expect((read['sources'] as { title: string[] }).title.toSorted()).toEqual([`${SITE}/`, `${SITE}/b`]);
    // A page that is named is requested.
    expect(await extracted({ urls: [`${SITE}/a`], schema })).toMatchObject({ data: { title: 'A' } });
  });

  test('leaves out URLs that are not valid, unless it must not', async () => {
    const urls = ['no url', SITE];
    const { json } = await submitted({ urls, schema });
    expect(json['invalidURLs']).toEqual(['http://no url']);
    const refused = await submitted({ urls, schema, ignoreInvalidURLs: false });
    expect([refused.status, refused.json['error']]).toEqual([400, expect.stringContaining('no url')]);
  });

  test('has failed, free of charge, if no page has values', async () => {
    world.model.answer = () => {
      throw new AppError('extraction_invalid', { message: 'The answer is not valid.' });
    };
    const read = await extracted({ urls: [SITE], schema });
    expect(read).toMatchObject({ success: false, status: 'failed', data: {}, creditsUsed: 0 });
    expect(read['error']).toContain(`${SITE}/`);
    expect((await usage()).credits.used).toBe(0);
  });

  test('says how many pages have no values', async () => {
    world.web[`${SITE}/a`] = new AppError('connect_failed');
    const read = await extracted({ urls: [SITE, `${SITE}/a`], schema });
    expect(read).toMatchObject({ status: 'completed', data: { title: 'Home' } });
    expect(read['warning']).toContain('1 of 2 pages');
  });

  test.each([
    [{ urls: [] }, 'urls'],
    [{}, 'urls'],
    [{ urls: [SITE] }, 'Send a schema, a prompt, or both.'],
    [{ urls: [SITE, `${SITE}/*`], schema }, 'in calls of their own'],
    [{ urls: [SITE], schema, enableWebSearch: true }, 'enableWebSearch'],
    [{ urls: [SITE], schema, allowExternalLinks: true, agent: {} }, 'allowExternalLinks, agent'],
    [{ urls: [SITE], schema, webhook: 'https://hooks.example/' }, 'webhook'],
    [{ urls: [SITE], schema, model: 'x' }, "Unrecognized key in body: 'model'"],
    [
      { urls: [SITE], schema: { type: 'object', properties: { a: { type: 'x' } } } },
      'formats.json.schema.properties.a',
    ],
    [{ urls: [SITE], prompt: 'x'.repeat(5_000) }, 'formats.json.prompt'],
  ])('%j is refused by its name', async (body, problem) => {
    const { status, json } = await submitted(body);
    expect([status, json['success'], json['code']]).toEqual([400, false, 'BAD_REQUEST']);
    expect(json['error']).toContain(problem);
  });

  test('with an unknown id is not found', async () => {
    const { status, json } = await service.ask(`${EXTRACT}/invalid`, { key });
    expect([status, json['code']]).toEqual([404, 'NOT_FOUND']);
  });
});

test('a crawl and a batch have the JSON of each page', async () => {
  serves('/robots.txt', '', { contentType: 'text/plain' });
  const scrape = { formats: [{ type: 'json', schema }] };
  const crawl = await started('/v2/crawl', { url: SITE, limit: 2, sitemap: 'skip', scrapeOptions: scrape });
  const { data } = await finished(crawl.path);
  expect(data.map(({ json }) => (json as { title: string }).title).toSorted()).toEqual(['A', 'Home']);
  expect(data[0]?.metadata).toMatchObject({ creditsUsed: 6 });
  const batch = await started('/v2/batch/scrape', { urls: [SITE], ...scrape });
  expect((await finished(batch.path)).data).toMatchObject([{ json: { title: 'Home' } }]);
});

test.each([
  ['lists', [{ a: [1, { b: 1 }] }, { a: [{ b: 1 }, 2] }], { a: [1, { b: 1 }, 2] }],
  ['objects', [{ a: { b: null, c: 1 } }, { a: { b: 2, c: 3 } }], { a: { b: 2, c: 1 } }],
  [
    'values of one page',
    [
      { a: null, b: '' },
      { a: 0, b: false },
    ],
    { a: 0, b: false },
  ],
  ['values of different types', [{ a: [1] }, { a: 'x' }], { a: [1] }],
  [
    'a name of objects',
    [JSON.parse('{"__proto__": {"x": 1}}') as object, {}],
    JSON.parse('{"__proto__": {"x": 1}}') as object,
  ],
])('%s of several pages are merged', (_, pages, merged) => {
  const read = pages.map((values, at) => ({ url: String(at), values: values as Record<string, unknown> }));
  expect(JSON.stringify(mergeValues(read).data)).toBe(JSON.stringify(merged));
});
