import { expect, test } from 'vitest';
import { z } from 'zod';
import { openapi } from '../../shared/api/openapi.ts';
import { jsonFormats } from '../../shared/api/openapi/media.ts';
import { Output } from '../../shared/contract/scrape/output.ts';
import type { Page } from '../../shared/contract/scrape/page.ts';
import { Part } from '../../shared/contract/scrape/part.ts';
import { operationsOf, type Schema } from '../support/stack/described-api.ts';
import { JOBS, key, newServiceEachTest, service, submitJob, world } from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';

const URL = 'https://example.com/';
const HTML = `<html lang="en"><title>T</title><meta name="author" content="A"><meta name="description" content="D">
  <meta property="og:image" content="/i.png"><meta property="og:site_name" content="S"><link rel="canonical" href="/c">
  <meta property="article:published_time" content="2026-11-01"><link rel="alternate" type="application/rss+xml" title="F" href="/f">
  <script type="application/ld+json">{"@type": "Product", "name": "N"}</script><main><h1>Hello</h1>
  <p>Some words of an article, and <a href="/a" rel="next">more</a>.</p><table><tr><th>K</th></tr><tr><td>V</td></tr></table></main>`;
const rules = {
  heading: 'h1',
  missing: '.price',
  table: { selector: 'table', output: 'table_json' },
  nested: { selector: 'main', type: 'list', output: { link: 'a@href', none: 'time' } },
};

newServiceEachTest({ plan: 'business' });

/** Only the members that are described, at each depth. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return 'properties' in inner ? { additionalProperties: false, ...inner } : inner;
}

const operations = operationsOf(openapi());
type Name = (typeof jsonFormats)[keyof typeof jsonFormats];

/** What the document says of JSON in the response of each operation that returns pages. */
function described(operationId: string): Record<Name, z.ZodType> {
  const operation = operations.find((each) => each.operationId === operationId);
  const schema = operation?.responses['200']?.content?.['application/json']?.schema;
  const schemas = (schema?.anyOf ?? []).map((each) => z.fromJSONSchema(closed(each) as Schema));
  const named = Object.values(jsonFormats).map((name, index) => [name, schemas[index]] as const);
  return Object.fromEntries(named) as Record<Name, z.ZodType>;
}

const captured = [
  { url: URL, method: 'GET', type: 'xhr' as const, status: 200, headers: { a: 'b' }, body: 'x' },
];
const step = {
  index: 0,
  path: 'instructions[0]',
  step: 'evaluate',
  status: 'ok' as const,
  ms: 1,
  url: URL,
  result: [1],
};
const body = Buffer.from('picture');
const rendered: Partial<Page> = {
  renderState: 'complete',
  contentTruncated: true,
  redirects: 2,
  headers: { server: 'nginx', 'set-cookie': ['a=1', 'b=2'] },
  report: { ok: true, steps: [step] },
  captured,
  pictures: { screenshot: { type: 'png', width: 1, height: 2, body }, pdf: { body } },
};

test.each<[string, Name, object, Page]>([
  ['links', 'Links', { format: 'links' }, page(HTML)],
  ['images', 'Images', { format: 'images' }, page(HTML)],
  ['metadata', 'Metadata', { format: 'metadata' }, page(HTML)],
  [
    'metadata of a feed',
    'Metadata',
    { format: 'metadata' },
    page('<rss><channel><title>T</title></channel></rss>', { contentType: 'text/xml' }),
  ],
  ['values', 'Extracted', { format: 'extract', extract_rules: rules }, page(HTML)],
  [
    'several formats',
    'Envelope',
    { format: 'json', formats: Part.options, extract_rules: rules },
    page(HTML),
  ],
  ['a page alone', 'Envelope', { format: 'json' }, page(HTML, { contentType: undefined as never })],
  [
    'all of a rendered page',
    'Envelope',
    { format: 'json', formats: Output.options, extract_rules: rules, render_js: true },
    page(HTML, rendered),
  ],
  [
    'a wall',
    'Envelope',
    { format: 'json' },
    page('<title>Pay</title>', { status: 402, headers: { price: '1 USD' } }),
  ],
])(
  'JSON of %s is as the OpenAPI document describes it, at once and as a job',
  async (_, name, fields, came) => {
    world.web[URL] = came;
    const request = { url: URL, ...fields };
    const answer = await service.post('/api/v1/scraper', key, request);
    expect([answer.status, answer.headers['Content-Type']]).toEqual([200, 'application/json; charset=utf-8']);
    const json: unknown = JSON.parse(answer.text);
    expect(described('scrape')[name].safeParse(json).error).toBeUndefined();

    const id = await submitJob(request);
    await service.work();
    const result = await service.ask(`${JOBS}/${id}/result`, { key });
    expect(described('getResult')[name].safeParse(JSON.parse(result.text)).error).toBeUndefined();
  },
);

test('a member that is not described would be found', () => {
  const envelope = { url: URL, status: 200, redirects: 0, headers: {}, cookies: {} };
  const { Envelope, Metadata } = described('scrapeSimple');
  expect(Envelope.safeParse(envelope).success).toBe(true);
  expect(Envelope.safeParse({ ...envelope, titles: [] }).success).toBe(false);
  expect(Metadata.safeParse({ title: 'T', feeds: [{ url: URL, name: 'F' }] }).success).toBe(false);
});
