import { expect, test } from 'vitest';
import {
  JOBS,
  key,
  newServiceEachTest,
  service,
  shown,
  submitJob,
  world,
} from '../support/world/each-test.ts';
import { page } from '../support/world/pages.ts';
import { docxOf, word } from '../fixtures/documents/office.ts';
import { pdfOf } from '../fixtures/documents/pdf.ts';

const SCRAPE = '/api/v1/scraper';
const BATCHES = '/api/v1/scraper/batches';
const CRAWLS = '/api/v1/crawls';
const url = 'https://example.com/a.pdf';

newServiceEachTest({ overrides: { credits: 100 } });

const pagesOf = (count: number) =>
  pdfOf(Array.from({ length: count }, (_, at) => ({ texts: [{ text: `Page ${at + 1}`, x: 50, y: 700 }] })));

function serve(body: Buffer, contentType = 'application/pdf', at = url): void {
  world.web[at] = { ...page('', { contentType, url: at }), body };
}

const scrape = (fields: object) => service.post(SCRAPE, key, { url, ...fields });

test('a document is read as Markdown for the price of its page, and says what it is', async () => {
  serve(pagesOf(3));
  const { status, text, headers } = await scrape({ format: 'markdown' });
  expect([status, text]).toEqual([200, 'Page 1\n\nPage 2\n\nPage 3\n']);
  expect(headers).toMatchObject({
    'Content-Type': 'text/markdown; charset=utf-8',
    'X-Document-Type': 'text',
    'X-Document-Pages': '3',
    'X-Content-Scope': 'full',
    'X-Credits-Used': '1',
  });
  expect((await service.ask(`${SCRAPE}?url=${url}&format=text`, { key })).text).toContain('Page 3');
  const { json } = await scrape({ format: 'json', formats: ['text', 'metadata', 'links'] });
  expect(json).toMatchObject({
    document_type: 'text',
    document_pages: 3,
    content_type: 'application/pdf',
    links: [],
  });
});

test('a document passes unchanged as html', async () => {
  const body = pagesOf(1);
  serve(body);
  const { text, headers } = await scrape({});
  expect(text).toBe(body.toString());
  expect(headers).not.toHaveProperty('X-Document-Type');
});

test('a document is read in a browser as without, and at the first rung of mode', async () => {
  serve(docxOf(word('Words of a file.')), 'application/octet-stream');
  expect((await scrape({ format: 'text', render_js: true })).text).toBe('Words of a file.\n');
  const { text, headers } = await scrape({ format: 'text', mode: 'auto', wait_for: '.late' });
  expect([text, headers['X-Mode-Tried'], headers['X-Credits-Used']]).toEqual([
    'Words of a file.\n',
    'plain;page',
    '1',
  ]);
});

test.each([
  [50, {}, '1'],
  [51, {}, '2'],
  [120, {}, '3'],
  [120, { document: { pages: '1-100' } }, '2'],
  [120, { document: { pages: '1-5' } }, '1'],
  [260, { document: { max_pages: 300 } }, '6'],
  [120, { max_credits: 3 }, '3'],
])('a document of %i pages with %j costs %s', async (pages, fields, credits) => {
  serve(pagesOf(pages));
  const { status, headers } = await scrape({ format: 'text', ...fields });
  expect([status, headers['X-Credits-Used'], headers['X-Document-Pages']]).toEqual([
    200,
    credits,
    String(pages),
  ]);
  expect(headers['X-Credits-Remaining']).toBe(String(100 - Number(credits)));
});

test('a document that would cost more than its caller allows, or has, is free and not delivered', async () => {
  serve(pagesOf(120));
  const capped = await scrape({ format: 'text', max_credits: 2 });
  expect([capped.status, capped.json]).toMatchObject([
    402,
    { code: 'cost_cap_exceeded', param: 'document', credits_required: 3, max_credits: 2 },
  ]);
  expect(capped.headers).toMatchObject({ 'X-Credits-Used': '0', 'X-Credits-Remaining': '100' });
  const { key: poor } = await service.organization({ overrides: { credits: 2 } });
  const short = await service.post(SCRAPE, poor, { url, format: 'text' });
  expect([short.status, short.headers['X-Credits-Remaining']]).toEqual([402, '2']);
});

test.each([
  ['of pictures', pdfOf([{ image: true }, { image: true }]), 'needs_ocr', 'Pages 1-2 of this document'],
  ['that is broken', Buffer.from('%PDF-1.7'), 'not_convertible', 'This PDF file is damaged'],
  ['with too many pages', pagesOf(201), 'not_convertible', 'This document has 201 pages, more than the 200'],
])('a document %s is refused, and free', async (_, body, code, message) => {
  serve(body);
  const { status, json, headers } = await scrape({ format: 'markdown' });
  expect([status, json]).toMatchObject([
    422,
    { code, retryable: false, message: expect.stringContaining(message) as string },
  ]);
  expect(headers).toMatchObject({ 'X-Credits-Used': '0', 'X-Credits-Reason': 'no_page' });
});

test('a job says what document it has read, and costs as much', async () => {
  serve(pagesOf(60));
  const id = await submitJob({ url, format: 'text' });
  await service.work();
  expect(await shown(id)).toMatchObject({
    status: 'completed',
    credits_used: 2,
    document_type: 'text',
    document_pages: 60,
  });
  const { headers } = await service.ask(`${JOBS}/${id}/result`, { key });
  expect(headers).toMatchObject({ 'X-Document-Type': 'text', 'X-Document-Pages': '60' });
});

test('a batch reads as many pages as its lines ask for, so that it costs no more than was foreseen', async () => {
  serve(pagesOf(60));
  const requests = [{ format: 'text' }, { format: 'text', document: { pages: '1-60' } }].map((fields) => ({
    url,
    ...fields,
  }));
  const { json } = await service.post(BATCHES, key, { requests });
  await service.work();
  const { text } = await service.ask(`${BATCHES}/${String(json['batch_id'])}/results`, { key });
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as object);
  expect(lines).toMatchObject([
    { status: 'failed', error_code: 'cost_cap_exceeded', credits_used: 0 },
    { status: 'completed', document_type: 'text', document_pages: 60, credits_used: 2 },
  ]);
});

test('a kept document is free, and says the same', async () => {
  serve(pagesOf(60));
  expect((await scrape({ format: 'text', max_age: 60 })).headers['X-Credits-Used']).toBe('2');
  const { headers } = await scrape({ format: 'text', max_age: 60 });
  expect(headers).toMatchObject({ 'X-Cache': 'hit', 'X-Credits-Used': '0', 'X-Document-Pages': '60' });
});

test('a change of a document is a change of its text', async () => {
  serve(pagesOf(1));
  const changed = { format: 'change', change: { of: 'text' } };
  expect((await scrape(changed)).json).toMatchObject({ status: 'new' });
  serve(pagesOf(2));
  expect((await scrape(changed)).json).toMatchObject({
    status: 'changed',
    diff: expect.stringContaining('+Page 2') as string,
  });
});

test('a document that is not paid for is not what its next result is compared with', async () => {
  serve(pagesOf(60));
  const changed = { format: 'change', change: { of: 'text' } };
  expect((await scrape({ ...changed, max_credits: 1 })).status).toBe(402);
  expect((await scrape(changed)).json).toMatchObject({ status: 'new' });
});

test('a crawl has a document that it finds among its results', async () => {
  const html = '<p>Files to read, and more words: <a href="/a.pdf">the file</a>';
  serve(Buffer.from(html), 'text/html', 'https://example.com/');
  serve(pagesOf(2));
  const wanted = {
    url: 'https://example.com/',
    request: { format: 'text' },
    sitemaps: 'skip',
    robots: 'report',
  };
  const { json } = await service.post(CRAWLS, key, wanted);
  const path = `${CRAWLS}/${String(json['crawl_id'])}`;
  for (let turn = 0; turn < 10; turn += 1) {
    await service.work();
    world.pass(60_000);
    await service.sweepCrawls();
  }
  const { text } = await service.ask(`${path}/results?include=body`, { key });
  expect(text).toContain('Page 2');
});

test('callers of /v2 get the text of a document, and as many pages as they ask for', async () => {
  serve(pagesOf(4));
  const wanted = { url, parsers: [{ type: 'pdf', maxPages: 2 }] };
  const { json } = await service.post('/v2/scrape', key, wanted);
  expect(json).toMatchObject({
    success: true,
    data: { markdown: 'Page 1\n\nPage 2\n', metadata: { numPages: 4, creditsUsed: 1 } },
  });
  expect((await service.post('/v2/scrape', key, { url, parsers: ['pdf'] })).text).toContain('Page 4');
});
