import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, inject, test } from 'vitest';
import { openBrowsers } from '../support/browser/chromium.ts';
import { extent } from '../support/world/extent.ts';
import { html, renderSite } from '../support/servers/render-site.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const FILES: readonly [contentType: string, disposition: string | undefined][] = [
  ['application/pdf', 'attachment; filename="a.pdf"'],
  ['text/plain; charset=windows-1251', undefined],
  ['image/svg+xml', undefined],
  ['application/pdf', undefined],
  ['image/png', undefined],
  ['application/json; charset=utf-8', undefined],
  ['application/zip', 'attachment'],
  ['application/octet-stream', undefined],
  ['application/xml', undefined],
  ['video/mp4', undefined],
];

test.each(extent(FILES.slice(0, 3), FILES))(
  '%s is returned byte for byte (%s)',
  async (contentType, disposition) => {
    const bytes = randomBytes(300_000);
    await using site = await renderSite({
      '/': (_, response) => {
        if (disposition) response.setHeader('Content-Disposition', disposition);
        response.writeHead(203, { 'Content-Type': contentType }).end(bytes);
      },
    });
    await using browser = await openBrowsers(site.host);
    const { answer, body } = await browser.render(`${site.origin}/`);
    expect(answer).toEqual({
      outcome: 'page',
      status: 203,
      url: `${site.origin}/`,
      redirects: 0,
      contentType,
      headers: expect.objectContaining({ 'content-type': contentType }) as object,
      bytes: bytes.byteLength,
      phases: expect.any(Object) as object,
      processes: inject('processes'),
    });
    expect(sha256(body)).toBe(sha256(bytes));
    expect(site.asked).toEqual(['/']);
  },
);

test.each(extent(['br'], ['br', 'gzip', 'zstd']))(
  'a file with a false Content-Encoding of %s is bad_upstream_response',
  async (encoding) => {
    const junk = Buffer.alloc(100, 0xff);
    await using site = await renderSite({
      '/': (_, response) => {
        response.setHeader('Content-Encoding', encoding).setHeader('Content-Length', junk.length);
        response.writeHead(200, { 'Content-Type': 'application/pdf' }).end(junk);
      },
    });
    await using browser = await openBrowsers(site.host);
    const { answer } = await browser.render(`${site.origin}/`);
    expect(answer).toMatchObject({ outcome: 'error', code: 'bad_upstream_response' });
  },
);

test.each([
  ['gzip', gzipSync(''), true],
  ['gzip', gzipSync(''), false],
  ['gzip', Buffer.alloc(0), false],
  ['identity', Buffer.alloc(0), false],
])(
  'an empty file under %s is an empty page: %j, with a Content-Length: %s',
  async (encoding, body, isTold) => {
    await using site = await renderSite({
      '/': (_, response) => {
        response.setHeader('Content-Encoding', encoding);
        if (isTold) response.setHeader('Content-Length', body.length);
        response.writeHead(404, { 'Content-Type': 'application/pdf' }).end(body);
      },
    });
    await using browser = await openBrowsers(site.host);
    expect((await browser.render(`${site.origin}/`)).answer).toMatchObject({ outcome: 'page', bytes: 0 });
  },
);

test('a compressed file is decoded after a redirect and after a navigation by script', async () => {
  await using site = await renderSite({
    '/': '<script>location = "/moved"</script>',
    '/moved': (_, response) => response.writeHead(301, { Location: '/a.json' }).end(),
    '/a.json': (_, response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' })
        .end(gzipSync('{"a":1}')),
  });
  await using browser = await openBrowsers(site.host);
  const { answer, html: text } = await browser.render(`${site.origin}/`);
  expect(answer).toMatchObject({
    url: `${site.origin}/a.json`,
    redirects: 2,
    contentType: 'application/json',
  });
  expect(text).toBe('{"a":1}');
});

test('a download started by a page does not change the page', async () => {
  await using site = await renderSite({
    '/': '<p>thank you<script>onload = () => { location = "/file" }</script>',
    '/file': (_, response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/zip', 'Content-Disposition': 'attachment' })
        .end('zip'),
  });
  await using browser = await openBrowsers(site.host);
  const { answer, html: text } = await browser.render(`${site.origin}/`);
  expect(answer).toMatchObject({ url: `${site.origin}/`, contentType: 'text/html; charset=utf-8' });
  expect(text).toContain('thank you');
});

test('HTML sent as an attachment is rendered', async () => {
  await using site = await renderSite({
    '/': (_, response) => {
      response.setHeader('Content-Disposition', 'attachment; filename=a.html');
      html(response, '<script>document.title = 1 + 1</script>');
    },
  });
  await using browser = await openBrowsers(site.host);
  expect((await browser.render(`${site.origin}/`)).html).toContain('<title>2</title>');
});

test('without a Content-Type, the type is detected from the bytes', async () => {
  await using site = await renderSite({
    '/html': (_, response) => response.end(' <html><script>document.title = "run"</script>'),
    '/bytes': (_, response) => response.end('just bytes <html>'),
  });
  await using browser = await openBrowsers(site.host);
  expect((await browser.render(`${site.origin}/html`)).html).toContain('<title>run</title>');
  const { answer, html: text } = await browser.render(`${site.origin}/bytes`);
  expect(answer).not.toHaveProperty('contentType');
  expect(text).toBe('just bytes <html>');
});

test('204 is an empty page', async () => {
  await using site = await renderSite({ '/': (_, response) => response.writeHead(204).end() });
  await using browser = await openBrowsers(site.host);
  expect((await browser.render(`${site.origin}/`)).answer).toMatchObject({ status: 204, bytes: 0 });
});

test('a file that is cut off is bad_upstream_response', async () => {
  await using site = await renderSite({
    '/': (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/pdf', 'Content-Length': 1_000 });
      response.write('half', () => response.destroy());
    },
  });
  await using browser = await openBrowsers(site.host);
  expect((await browser.render(`${site.origin}/`)).answer).toMatchObject({ code: 'bad_upstream_response' });
});

test('a file of 20 MB and a page of 8 MB are returned', async () => {
  const file = randomBytes(20_000_000);
  const text = `<p>${'lorem ipsum dolor sit amet '.repeat(100)}</p>`.repeat(3_000);
  await using site = await renderSite({
    '/file': (_, response) => response.setHeader('Content-Type', 'application/pdf').end(file),
    '/page': text,
  });
  await using browser = await openBrowsers(site.host);
  const whole = await browser.render(`${site.origin}/file`);
  expect(sha256(whole.body)).toBe(sha256(file));
  // Compression would save nothing.
  expect(whole.sentBytes).toBe(file.byteLength);
  const page = await browser.render(`${site.origin}/page`, 50_000);
  expect(page.answer).toMatchObject({ encoding: 'gzip', bytes: page.sentBytes });
  // Lambda streams 6 MB at full speed.
  expect(page.sentBytes).toBeLessThan(6_000_000);
  expect(page.html).toBe(`<!DOCTYPE html><html><head></head><body>${text}</body></html>`);
});

const ENDLESS = [
  ['an endless file', 'application/pdf'],
  ['an endless page', 'text/html'],
] as const;

/** An endless page is in hostile.test.ts too. */
test.each(extent(ENDLESS.slice(0, 1), ENDLESS))('%s is response_too_large', async (_, contentType) => {
  const chunk = Buffer.from(`<!--${'-'.repeat(1_000_000)}x-->`);
  await using site = await renderSite({
    '/': (__, response) => {
      response.writeHead(200, { 'Content-Type': contentType });
      const more = () => {
        if (!response.destroyed) response.write(chunk, () => setImmediate(more));
      };
      more();
    },
  });
  await using browser = await openBrowsers(site.host);
  expect((await browser.render(`${site.origin}/`, 50_000)).answer).toMatchObject({
    code: 'response_too_large',
  });
});
