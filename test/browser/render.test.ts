import { expect, test } from 'vitest';
import { openBrowsers } from '../support/browser/chromium.ts';
import { html, renderSite } from '../support/servers/render-site.ts';
import { rawServer, saying, tlsServer } from '../support/servers/target-server.ts';

const FETCHING = `<p id=x>wait</p><script>
  onload = () => setTimeout(() => fetch('/data').then((r) => r.text()).then((t) => { x.textContent = t; }), 30);
</script>`;

test('content fetched by a script after load is in the page', async () => {
  await using site = await renderSite({
    '/': FETCHING,
    '/data': (_, response) => void setTimeout(() => response.end('fetched'), 300),
  });
  await using browser = await openBrowsers(site.host);
  const { answer, html: text } = await browser.render(`${site.origin}/#fragment`);
  expect(answer).toMatchObject({
    outcome: 'page',
    status: 200,
    url: `${site.origin}/`,
    redirects: 0,
    contentType: 'text/html; charset=utf-8',
    renderState: 'complete',
  });
  expect(text).toContain('<p id="x">fetched</p>');
});

test('doctype, comments and special characters are kept', async () => {
  const legacy =
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">';
  await using site = await renderSite({
    '/': (_, response) =>
      response.setHeader('Content-Type', 'text/html').end(`${legacy}<!-- top --><p>&amp; 漢😀`),
  });
  await using browser = await openBrowsers(site.host);
  const { html: text } = await browser.render(`${site.origin}/`);
  expect(text.startsWith(`${legacy}<!-- top --><html>`)).toBe(true);
});

test('XHTML is rendered', async () => {
  const source =
    '<html xmlns="http://www.w3.org/1999/xhtml"><body><script>document.body.id = "run";</script></body></html>';
  await using site = await renderSite({
    '/': (_, response) => response.setHeader('Content-Type', 'application/xhtml+xml').end(source),
  });
  await using browser = await openBrowsers(site.host);
  expect((await browser.render(`${site.origin}/`)).html).toContain('<body id="run">');
});

test('redirects are followed and counted, and more than ten are too_many_redirects', async () => {
  const hop: Parameters<typeof renderSite>[0][string] = (request, response) => {
    const left = Number(request.url?.split('?')[1]);
    if (left === 0) html(response, '<p>arrived');
    else response.writeHead(302, { Location: `/hop?${left - 1}` }).end('moved');
  };
  await using site = await renderSite({ '/hop': hop });
  await using browser = await openBrowsers(site.host);
  const { answer, html: text } = await browser.render(`${site.origin}/hop?10`);
  expect(answer).toMatchObject({ url: `${site.origin}/hop?0`, redirects: 10 });
  expect(text).toContain('<p>arrived</p>');
  expect((await browser.render(`${site.origin}/hop?11`)).answer).toMatchObject({
    code: 'too_many_redirects',
  });
});

test.each([
  ['a script', '<script>location.href = "/there"</script>'],
  ['a script after load', '<script>onload = () => setTimeout(() => { location = "/there"; }, 60)</script>'],
  ['a meta refresh', '<meta http-equiv=refresh content="1;url=/there">'],
  ['a form', '<form action=/there></form><script>document.forms[0].submit()</script>'],
])('a navigation by %s is followed', async (_, page) => {
  await using site = await renderSite({
    '/': page,
    '/there': (__, response) => html(response, '<p>there', 404),
  });
  await using browser = await openBrowsers(site.host);
  const { answer, html: text } = await browser.render(`${site.origin}/`);
  expect(answer).toMatchObject({ status: 404, redirects: 1, renderState: 'complete' });
  expect(text).toContain('<p>there</p>');
});

test.each([404, 500])('a %d with or without a document is a page', async (status) => {
  await using site = await renderSite({
    '/': (_, response) => html(response, '<p>sorry', status),
    '/empty': (_, response) => response.writeHead(status, { 'Content-Type': 'text/html' }).end(),
  });
  await using browser = await openBrowsers(site.host);
  const { answer, html: text } = await browser.render(`${site.origin}/`);
  expect(answer).toMatchObject({ outcome: 'page', status });
  expect(text).toContain('<p>sorry</p>');
  expect((await browser.render(`${site.origin}/empty`)).answer).toMatchObject({ outcome: 'page', status });
});

test('a page is not waited for to its deadline because of workers, event streams and frames', async () => {
  await using site = await renderSite({
    '/': '<iframe src=/frame></iframe><script>new Worker("/w.js").onmessage = (e) => { document.body.id = e.data; }; new Worker("/missing.js"); new EventSource("/events")</script>',
    '/frame': '<p>framed',
    '/w.js': (_, response) =>
      response.setHeader('Content-Type', 'text/javascript').end('postMessage("worked")'),
    '/events': (_, response) =>
      void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(':\n\n'),
  });
  await using browser = await openBrowsers(site.host);
  const { html: text, ms } = await browser.render(`${site.origin}/`, 50_000);
  expect(text).toContain('<body id="worked">');
  expect(ms).toBeLessThan(25_000);
});

test('an endless subresource makes the page partial at the deadline', async () => {
  await using site = await renderSite({
    '/': '<p>here<script defer src=/never></script>',
    '/never': () => undefined,
  });
  await using browser = await openBrowsers(site.host);
  const { answer, html: text, ms } = await browser.render(`${site.origin}/`, 4_000);
  expect(answer).toMatchObject({ outcome: 'page', renderState: 'partial' });
  expect(text).toContain('<p>here');
  expect(ms).toBeLessThan(40_000);
});

test.each([
  ['no bytes', undefined],
  ['headers only', { 'Content-Type': 'text/html' }],
])('a target that sends %s is a timeout', async (_, headers) => {
  await using site = await renderSite({
    '/': (__, response) => {
      if (headers) response.writeHead(200, headers).flushHeaders();
    },
  });
  await using browser = await openBrowsers(site.host);
  const { answer, ms } = await browser.render(`${site.origin}/`, 1_500);
  expect(answer).toMatchObject({ outcome: 'error', code: 'timeout' });
  expect(ms).toBeGreaterThan(1_400);
  expect(ms).toBeLessThan(15_000);
});

test('an untrusted certificate is tls_failed', async () => {
  await using target = await tlsServer((_, response) => response.end('secret'));
  await using browser = await openBrowsers(target.host);
  expect((await browser.render(target.origin)).answer).toMatchObject({ code: 'tls_failed' });
});

test('a closed port is connect_failed, and a response that is not HTTP is bad_upstream_response', async () => {
  const closed = await renderSite({});
  await closed[Symbol.asyncDispose]();
  await using garbage = await saying('\u0000\u0001\u0002 garbage\r\n\r\n');
  await using browser = await openBrowsers(closed.host, garbage.host);
  expect((await browser.render(closed.origin)).answer).toMatchObject({ code: 'connect_failed' });
  expect((await browser.render(`https://${closed.host}`)).answer).toMatchObject({ code: 'connect_failed' });
  expect((await browser.render(garbage.origin)).answer).toMatchObject({ code: 'bad_upstream_response' });
});

test('all resources are loaded from a target that closes every reused connection', async () => {
  const numbers = Array.from({ length: 20 }, (_, n) => n);
  const answerTo = (request: string): string => {
    const path = request.split(' ')[1];
    const script = `document.body.append("+${path}")`;
    const page = `<body>${numbers.map((n) => `<script src=/${n}.js></script>`).join('')}`;
    const [type, body] = path === '/' ? ['text/html', page] : ['text/javascript', script];
    return `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  await using target = await rawServer((socket) =>
    socket.once('data', (first: Buffer) => {
      socket.write(answerTo(first.toString()));
      socket.once('data', () => socket.destroy());
    }),
  );
  await using browser = await openBrowsers(target.host);
  const { html: rendered } = await browser.render(`${target.origin}/`);
  for (const n of numbers) expect(rendered).toContain(`+/${n}.js`);
});

test('elements with ids like names in the page script are serialised', async () => {
  await using site = await renderSite({ '/': '<p id="quiet">a</p><p id="answer">b</p><p id="reader">c</p>' });
  await using browser = await openBrowsers(site.host);
  const { answer, html: text } = await browser.render(`${site.origin}/`);
  expect(answer).toMatchObject({ outcome: 'page', renderState: 'complete' });
  expect(text).toContain('<p id="quiet">a</p>');
});

test('a page that navigates to a URL above the length limit is bad_upstream_response', async () => {
  await using site = await renderSite({ '/': '<script>location = "/" + "x".repeat(8_192)</script>' });
  await using browser = await openBrowsers(site.host);
  expect((await browser.render(`${site.origin}/`)).answer).toMatchObject({ code: 'bad_upstream_response' });
});

test('wait_for finds elements in open shadow roots, nested and late ones too', async () => {
  await using site = await renderSite({
    '/': `<x-y></x-y><script>
      const outer = document.querySelector('x-y');
      setTimeout(() => {
        const inner = outer.attachShadow({ mode: 'open' }).appendChild(document.createElement('z-z'));
        setTimeout(() => { inner.attachShadow({ mode: 'open' }).innerHTML = '<p class=deep>deep</p>'; }, 700);
      }, 700);
    </script>`,
  });
  await using browser = await openBrowsers(site.host);
  const wishes = { waitUntil: 'domcontentloaded', waitFor: 'p.deep' } as const;
  const { answer, html: text } = await browser.render(`${site.origin}/`, 20_000, wishes);
  expect(answer).toMatchObject({ renderState: 'complete' });
  expect(text).toContain('<p class="deep">deep</p>');
});
