import { afterAll, describe, expect, test } from 'vitest';
import { AppError } from '../../shared/errors.ts';
import { renderFunction } from '../support/browser/render-function.ts';

const URL = 'https://example.com/';
const head = (bytes: number) =>
  `JSON.stringify({ outcome: 'page', status: 201, url: event.url, redirects: 2, renderState: 'partial', bytes: ${bytes} }) + '\\n'`;

const packed = (bytes: string) =>
  `JSON.stringify({ outcome: 'page', status: 200, url: event.url, redirects: 0, encoding: 'gzip', bytes: ${bytes} }) + '\\n'`;

/** A valid response with fields that a compromised browser might change. */
const forged = (fields: object) => {
  const answer = { outcome: 'page', status: 200, url: URL, redirects: 0, bytes: 1, ...fields };
  return `stream.end(${JSON.stringify(`${JSON.stringify(answer)}\nx`)});`;
};

test('a page consists of its head and exactly its bytes, in any chunks', async () => {
  await using fn = await renderFunction(
    `const bytes = Buffer.concat([Buffer.from(${head(6)}), Buffer.from('a\\nb\\0\\nc')]);
     for (const byte of bytes) { stream.write(Buffer.from([byte])); await new Promise(setImmediate); }
     stream.end();`,
  );
  const page = await fn.render(URL);
  expect(page).toEqual({
    status: 201,
    url: URL,
    redirects: 2,
    renderState: 'partial',
    body: Buffer.from('a\nb\0\nc'),
  });
});

test('pictures follow the bytes of their page', async () => {
  const about = { type: 'png', width: 8, height: 6 };
  const pictures = { screenshot: { ...about, bytes: 3 }, pdf: { bytes: 2 } };
  const line = { outcome: 'page', status: 200, url: URL, redirects: 0, bytes: 4, pictures };
  await using fn = await renderFunction(
    `stream.write(${JSON.stringify(`${JSON.stringify(line)}\npa`)}); stream.end('geshopd');`,
  );
  expect(await fn.render(URL)).toMatchObject({
    body: Buffer.from('page'),
    pictures: { screenshot: { ...about, body: Buffer.from('sho') }, pdf: { body: Buffer.from('pd') } },
  });
});

test('the function gets the request, with a deadline before the deadline of the caller', async () => {
  await using fn = await renderFunction(
    `const body = JSON.stringify(event); stream.write(JSON.stringify({ outcome: 'page', status: 200, url: event.url, redirects: 0, bytes: body.length }) + '\\n'); stream.end(body);`,
  );
  const before = Date.now();
  const page = await fn.render(URL, 10_000);
  const { deadlineAt, ...request } = JSON.parse(Buffer.from(page.body).toString()) as { deadlineAt: number };
  expect(deadlineAt).toBeGreaterThanOrEqual(before + 9_750);
  expect(deadlineAt).toBeLessThanOrEqual(Date.now() + 9_750);
  expect(request).toMatchObject({
    requestId: 'r',
    url: URL,
    timeoutMs: 10_000,
    waitUntil: 'settled',
    device: 'desktop',
    blockResources: true,
  });
});

test.each([
  ['the organization if environments are not shared', 'PER_TENANT', 'o'],
  ['undefined if environments are shared', undefined, 'undefined'],
] as const)('the tenant id is %s', async (_, tenancy, tenant) => {
  await using fn = await renderFunction(
    `const body = String(context.tenantId); stream.write(JSON.stringify({ outcome: 'page', status: 200, url: event.url, redirects: 0, bytes: body.length }) + '\\n'); stream.end(body);`,
    tenancy && { tenancy },
  );
  expect((await fn.render(URL)).body.toString()).toBe(tenant);
});

test('20 MB are passed on without waiting for the end of the function', async () => {
  await using fn = await renderFunction(
    `stream.write(${head(20_000_000)}); stream.end(Buffer.alloc(20_000_000, 7)); await new Promise(() => setTimeout(() => 0, 60_000));`,
  );
  expect((await fn.render(URL)).body.byteLength).toBe(20_000_000);
});

test('captured bodies arrive that take six times their length as JSON', async () => {
  await using fn = await renderFunction(
    `const one = { url: event.url, method: 'GET', type: 'fetch', status: 200, headers: { x: 'x'.repeat(1_000_000) }, body: '\\0'.repeat(1_000_000) };
     stream.end(JSON.stringify({ outcome: 'page', status: 200, url: event.url, redirects: 0, bytes: 1, captured: Array(5).fill(one) }) + '\\nx');`,
  );
  const { captured } = await fn.render(URL);
  expect(captured?.map(({ body }) => body?.length)).toEqual(Array(5).fill(1_000_000));
});

test('a gzip response is decompressed', async () => {
  await using fn = await renderFunction(
    `const { gzipSync } = await import('node:zlib'); const body = gzipSync(Buffer.alloc(20_000_000, 7));
     stream.write(${packed('body.length')}); stream.end(body);`,
  );
  const page = await fn.render(URL);
  expect(page).not.toHaveProperty('encoding');
  expect(Buffer.alloc(20_000_000, 7).equals(page.body)).toBe(true);
});

test('an error of the function is passed on', async () => {
  await using fn = await renderFunction(
    `stream.end(JSON.stringify({ outcome: 'error', code: 'invalid_request', message: 'No.', fields: { param: 'wait_for' } }) + '\\n');`,
  );
  const error = { code: 'invalid_request', message: 'No.', fields: { param: 'wait_for' } };
  await expect(fn.render(URL)).rejects.toMatchObject(error);
});

const CRASHES: readonly (readonly [what: string, body: string])[] = [
  ['fewer bytes than announced', `stream.write(${head(9)}); stream.end('few');`],
  ['more bytes than announced', `stream.write(${head(1)}); stream.end('many');`],
  ['no response', 'stream.end();'],
  ['an invalid response', "stream.end('<html>\\n');"],
  ['an endless head', "stream.end(' '.repeat(70_000) + 'x');"],
  ['a page of more than 50 MB', `stream.write(${head(50_000_001)}); stream.end('few');`],
  [
    'gzip of more than 50 MB',
    `const { gzipSync } = await import('node:zlib'); const body = gzipSync(Buffer.alloc(50_000_001));
     stream.write(${packed('body.length')}); stream.end(body);`,
  ],
  ['invalid gzip', `stream.write(${packed('4')}); stream.end('none');`],
  ['another encoding', forged({ encoding: 'br' })],
  ['a type with a line break in it', forged({ contentType: 'text/html\r\nSet-Cookie: a=b' })],
  ['a type in another script', forged({ contentType: 'application/pdf; name=файл' })],
  ['an address with a line break in it', forged({ url: 'https://example.com/\r\nX: y' })],
  ['an address without end', forged({ url: `https://example.com/${'x'.repeat(8_192)}` })],
  ['an exception', "throw new Error('no');"],
  [
    'the end of its process in the middle',
    `stream.write(${head(9)}); setImmediate(() => process.exit(1)); await new Promise(() => 0);`,
  ],
];

describe('a response that is wrong', () => {
  /** One function for all, as each would start a process. */
  const bodies = CRASHES.map(([, body], at) => `'/${at}': async () => { ${body} }`);
  const made = renderFunction(`await ({ ${bodies.join()} })[new globalThis.URL(event.url).pathname]();`);
  afterAll(async () => (await made)[Symbol.asyncDispose]());

  test.each(CRASHES.map(([what], at) => [what, at] as const))('%s is browser_crashed', async (_, at) => {
    // A page of 50 MB is too long to print.
    const outcome = (await made).render(`${URL}${at}`).then(() => 'a page', Object);
    expect(await outcome).toMatchObject({ code: 'browser_crashed' });
  });
});

test('a throttled invocation is busy', async () => {
  await using fn = await renderFunction('stream.end();', { reservedConcurrency: 0 });
  await expect(fn.render(URL)).rejects.toMatchObject({ code: 'busy', retryAfter: 2 });
});

test.each([
  ['before its response', ''],
  ['in the middle of its response', `stream.write(${head(9)});`],
])('a function that hangs %s is a timeout, or the abort reason of the signal', async (_, body) => {
  await using fn = await renderFunction(`${body} await new Promise(() => setTimeout(() => 0, 60_000));`);
  await expect(fn.render(URL, 1_000)).rejects.toMatchObject({ code: 'timeout' });
  const gone = new AbortController();
  const rendering = fn.render(URL, 20_000, gone.signal);
  gone.abort(new AppError('deadline_exceeded'));
  await expect(rendering).rejects.toMatchObject({ code: 'deadline_exceeded' });
});
