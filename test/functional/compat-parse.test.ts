import { describe, expect, test } from 'vitest';
import { proxyEvent } from '../../local/gateway/proxy-event.ts';
import type { KeyRestrictions } from '../../shared/contract/accounts/account.ts';
import { MAX_FORM_BYTES } from '../../shared/request/read-form.ts';
import { createKey } from '../../shared/use-cases/accounts/manage-keys.ts';
import { docxOf, epubOf, odtOf, pptxOf, shape, word, xlsxOf } from '../fixtures/documents/office.ts';
import { pdfOf } from '../fixtures/documents/pdf.ts';
import { targetServer } from '../support/servers/target-server.ts';
import { key, newServiceEachTest, orgId, service, usage, world } from '../support/world/each-test.ts';

const words = Array.from({ length: 60 }, (_, n) => `word${n}`).join(' ');
const HTML = `<html lang="en"><head><title>Shop</title></head><body><nav><a href="/menu">Menu</a></nav>
  <main><h1>Shoes</h1><p>${words}</p><img src="/a.png"></main></body></html>`;

newServiceEachTest();

type File = { name: string; type?: string; content: string | Buffer };
type Answer = { success: boolean; warning?: string; data: Record<string, unknown> & { metadata: object } };

/** A form as clients send it. */
async function formOf({ name, type = '', content }: File, options?: object | string) {
  const form = new FormData();
  if (options !== undefined)
    form.append('options', typeof options === 'string' ? options : JSON.stringify(options));
  form.append('file', new Blob([new Uint8Array(Buffer.from(content))], { type }), name);
  return sentAs(new Response(form));
}

const sentAs = async (response: Response) => ({
  method: 'POST',
  headers: { 'Content-Type': response.headers.get('Content-Type') ?? '' },
  body: Buffer.from(await response.arrayBuffer()),
});

const asked = async (file: File, options?: object | string) =>
  service.ask('/v2/parse', { key, ...(await formOf(file, options)) });

async function parsed(file: File, options: object = {}) {
  const answer = await asked(file, options);
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
  return answer.json as Answer;
}

const html = (content = HTML) => ({ name: 'shop.html', type: 'text/html', content });
const pagesOf = (count: number) =>
  pdfOf(Array.from({ length: count }, (_, at) => ({ texts: [{ text: `Page ${at + 1}`, x: 50, y: 700 }] })));

test('a file is a document in Markdown for the price of a page', async () => {
  const { data } = await parsed({ ...html(), name: 'C:\\files\\rép.html' });
  expect(data).toEqual({
    markdown: expect.stringMatching(/^# Shoes\n/) as string,
    metadata: {
      ...{
        title: 'Shop',
        language: 'en',
        sourceURL: 'rép.html',
        url: 'https://upload.invalid/r%C3%A9p.html',
      },
      ...{ statusCode: 200, contentType: 'text/html', proxyUsed: 'basic', creditsUsed: 1 },
      scrapeId: expect.any(String) as string,
    },
  });
});

test('each format is its member, as of a page', async () => {
  const formats = ['markdown', 'html', 'rawHtml', 'links', 'images'];
  const attributes = { type: 'attributes', selectors: [{ selector: 'nav a', attribute: 'href' }] };
  const { data } = await parsed(html(), { formats: [...formats, attributes], includeTags: ['h1'] });
  expect(data).toMatchObject({
    ...{ markdown: '# Shoes\n', html: '<h1>Shoes</h1>', rawHtml: HTML },
    ...{ links: ['https://upload.invalid/menu'], images: ['https://upload.invalid/a.png'] },
    attributes: [{ selector: 'nav a', attribute: 'href', values: ['/menu'] }],
  });
});

test.each([
  ['a.pdf', pdfOf([{ texts: [{ text: 'Hello', x: 50, y: 700 }] }])],
  ['a.docx', docxOf(word('Hello'))],
  ['a.xlsx', xlsxOf([{ name: 'A', rows: '<row><c t="inlineStr"><is><t>Hello</t></is></c></row>' }])],
  ['a.pptx', pptxOf([shape('title', ['Hello'])])],
  ['a.odt', odtOf('<text:p>Hello</text:p>')],
  ['a.epub', epubOf(['<p>Hello</p>'])],
  ['a.rtf', String.raw`{\rtf1 Hello}`],
  ['a.csv', 'Hello,b\n1,2\n'],
  ['A.HTM', '<p>Hello</p>'],
])('%s is known by its name', async (name, content) => {
  const { data } = await parsed(
    { name, content, type: 'application/octet-stream' },
    { onlyMainContent: false },
  );
  expect(data['markdown']).toContain('Hello');
});

test('a file without an ending is known by its type, with its charset', async () => {
  const content = Buffer.from('<p>\xe9t\xe9</p>', 'latin1');
  const { data } = await parsed({ name: 'page', type: 'text/html; charset=iso-8859-1', content });
  expect(data['markdown']).toBe('été\n');
});

test('pages of documents cost what they cost in a scrape', async () => {
  const before = (await usage()).credits.available;
  const report = { name: 'report.pdf', content: pagesOf(120) };
  const { data } = await parsed(report);
  expect(data.metadata).toMatchObject({ numPages: 120, creditsUsed: 3 });
  const few = await parsed(report, { parsers: [{ type: 'pdf', maxPages: 50 }] });
  expect(few.data.metadata).toMatchObject({ creditsUsed: 1 });
  expect(before - (await usage()).credits.available).toBe(4);
});

test('a file that looks like a bot wall is charged as any other', async () => {
  const wall = '<title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/h/b"></script>';
  const { data } = await parsed(html(`<html><head>${wall}</head><body><p>${words}</p></body></html>`));
  expect(data.metadata).toMatchObject({ creditsUsed: 1 });
});

test('a file is recorded as a scrape, by its name', async () => {
  await parsed(html());
  const { json } = await service.ask('/api/v1/account/activity', { key });
  expect(json['data']).toMatchObject([
    { type: 'scrape', url: 'https://upload.invalid/shop.html', host: 'upload.invalid', credits: 1 },
  ]);
});

test.each<KeyRestrictions>([{ routes: ['jobs'] }, { formats: ['text'] }])(
  'a key that is restricted to %j parses no files',
  async (restrictions) => {
    const wanted = { orgId, name: 'shop', mode: 'live', restrictions, createdBy: 'ada' } as const;
    const { api_key: restricted } = await createKey(world, wanted);
    const answer = await service.ask('/v2/parse', { key: restricted, ...(await formOf(html())) });
    expect([answer.status, answer.json['code']]).toEqual([403, 'FORBIDDEN']);
  },
);

test.each([
  [{ formats: ['screenshot'] }, 'A file has no screenshot'],
  [{ formats: ['changeTracking'] }, 'no changeTracking'],
  [{ actions: [{ type: 'wait', milliseconds: 1 }] }, 'A file has no actions.'],
  [{ waitFor: 1, mobile: true }, 'A file has no waitFor, mobile.'],
  [{ location: { country: 'US' } }, 'A file has no location.'],
  [{ proxy: 'stealth' }, 'A file has no proxy.'],
  [{ lockdown: true }, 'These options are not supported here: lockdown.'],
  [{ url: 'https://shop.example/' }, "Unrecognized key in body: 'url'."],
  ['{"a":1,"a":2}', "Field 'a' is given more than once."],
  ['[]', 'must be a JSON object'],
  ['nonsense', 'The field options is not valid JSON'],
])('the options %j are refused by name, free of charge', async (options, problem) => {
  const { status, json, headers } = await asked(html(), options);
  expect([status, json['success'], json['code']]).toEqual([400, false, 'BAD_REQUEST']);
  expect(json['error']).toContain(problem);
  expect(headers['X-Credits-Used']).toBe('0');
});

test('what has no effect on a file is said', async () => {
  const options = { headers: { A: 'b' }, waitFor: 0, mobile: false, proxy: 'basic', actions: [] };
  expect((await parsed(html(), options)).warning).toContain('headers and maxAge have no effect');
  expect(await parsed(html(), { blockAds: true, proxy: 'auto' })).not.toHaveProperty('warning');
});

test('a file of another kind is refused with the kinds that are read', async () => {
  const picture = { name: 'a.png', type: 'image/png', content: 'image-data' };
  const { status, json } = await asked(picture);
  expect([status, json['code']]).toEqual([400, 'UNSUPPORTED_FILE_TYPE']);
  expect(json['error']).toContain('.html, .htm, .xhtml, .pdf, .docx, .xlsx, .pptx, .odt, .epub, .rtf, .csv');
});

test('a file that is not what its name says is a failed scrape, free of charge', async () => {
  const { status, json, headers } = await asked({ name: 'a.pdf', content: 'no PDF' });
  expect([status, json['code']]).toEqual([500, 'SCRAPE_UNSUPPORTED_FILE_ERROR']);
  expect(headers['X-Credits-Used']).toBe('0');
});

describe('a form', () => {
  const part = (head: string, body = '') =>
    `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
  const FILE = part('name="file"; filename="a.html"', '<p>Hello</p>');
  const post = (body: string | Buffer, type = 'multipart/form-data; boundary=b') =>
    service.ask('/v2/parse', {
      ...{ method: 'POST', key, headers: { 'Content-Type': type }, body: Buffer.from(body) },
    });

  test('with a quoted boundary is read', async () => {
    const { json } = await post(`${FILE}--b--\r\n`, 'multipart/form-data; charset=utf-8; boundary="b"');
    expect(json).toMatchObject({ data: { markdown: 'Hello\n' } });
  });

  test.each([
    ['without a file', `${part('name="options"', '{}')}--b--\r\n`, 'no file'],
    ['with an empty file', `${part('name="file"; filename="a.html"')}--b--\r\n`, 'no file'],
    ['whose file is a text', `${part('name="file"', '<p>Hello</p>')}--b--\r\n`, 'no file'],
    ['that is cut off', FILE.slice(0, -8), 'not valid'],
    ['of nothing', '', 'not valid'],
    ['of very many parts', `${part('name="a"').repeat(60_000)}--b--\r\n`, 'too many parts'],
    ['of boundaries alone', '\r\n--b'.repeat(800_000), 'too many parts'],
    [
      'with an endless head',
      `--b\r\nContent-Disposition: form-data; ${'a="b"; '.repeat(500_000)}`,
      'not valid',
    ],
  ])('%s is refused', async (_, body, problem) => {
    const { status, json } = await post(body);
    expect([status, json['code']]).toEqual([400, 'BAD_REQUEST']);
    expect(json['error']).toContain(problem);
  });

  test.each(['application/json', 'multipart/form-data', 'multipart/mixed; boundary=b'])(
    'as %s is refused',
    async (type) => {
      expect((await post(`${FILE}--b--\r\n`, type)).status).toBe(400);
    },
  );

  test('is as large as fits into an event of Lambda, and not larger', async () => {
    const file = { name: 'a.html', content: `<p>Hello</p><!--${'-'.repeat(MAX_FORM_BYTES - 300)}` };
    const form = await formOf(file);
    expect(form.body.length).toBeGreaterThan(MAX_FORM_BYTES - 300);
    expect((await service.ask('/v2/parse', { key, ...form })).status).toBe(200);
    const large = await asked({ ...file, content: `${file.content}${'-'.repeat(300)}` });
    expect([large.status, large.json['code']]).toEqual([413, 'REQUEST_TOO_LARGE']);
    expect(large.json['error']).toContain('4.5 MB');
    expect(await eventBytes(form)).toBeLessThan(6 * 2 ** 20);
  });
});

/** Of the event that API Gateway makes of a request with as many headers as it accepts: 10,240 bytes. */
async function eventBytes({ headers, body }: Awaited<ReturnType<typeof formOf>>): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  await using server = await targetServer((request, response) => {
    const functionArn = 'probe';
    const binaryTypes = ['multipart/form-data'];
    const route = {
      api: 'a',
      path: '/v2/parse',
      method: 'ANY',
      functionArn,
      timeoutMs: 1,
      isStreamed: true,
      binaryTypes,
    };
    const event = proxyEvent(request, { route, pathParameters: {} }, body, 'id');
    expect(event.isBase64Encoded).toBe(true);
    resolve(Buffer.byteLength(JSON.stringify(event)));
    response.end();
  });
  await fetch(server.origin, {
    method: 'POST',
    headers: { ...headers, 'X-Long': 'a'.repeat(10_000) },
    body: new Uint8Array(0),
  });
  return await promise;
}
