import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import iconv from 'iconv-lite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowsers } from '../support/browser/chromium.ts';
import { renderSite } from '../support/servers/render-site.ts';
import { extent } from '../support/world/extent.ts';

type Routes = Parameters<typeof renderSite>[0];

const CHARSETS = [
  ['utf-8', 'header', 'Grüße, 漢字, 😀'],
  ['utf-16le', 'header', 'Grüße, 漢字, 😀'],
  ['windows-1252', 'meta', 'Grüße – “quoted” €'],
  ['iso-8859-2', 'header', 'Příliš žluťoučký kůň'],
  ['iso-8859-15', 'meta', 'œuvre €'],
  ['windows-1251', 'header', 'Привет, мир'],
  ['koi8-r', 'meta', 'Привет, мир'],
  ['windows-1255', 'header', 'שלום עולם'],
  ['shift_jis', 'meta', '日本語テスト'],
  ['euc-jp', 'header', '日本語テスト'],
  ['gb18030', 'meta', '汉字测试 😀'],
  ['big5', 'header', '漢字測試'],
  ['euc-kr', 'meta', '한국어 시험'],
] as const;

const bytesOf = (text: string, charset: string) => iconv.encode(text, charset);
const sent =
  (type: string, body: Buffer): Exclude<Routes[string], string> =>
  (_, response) =>
    response.setHeader('Content-Type', type).end(body);
const labelled = CHARSETS.map(([charset, label, text]) =>
  label === 'header'
    ? sent(`text/html; charset=${charset}`, bytesOf(`<p>${text}`, charset))
    : sent('text/html', bytesOf(`<meta charset=${charset}><p>${text}`, charset)),
);

const shadow = (code: string) => `<body><script>${code}</script></body>`;
const routes: Routes = {
  ...Object.fromEntries(labelled.map((route, index) => [`/${CHARSETS[index]?.[0]}`, route])),
  '/bom': sent('text/html; charset=windows-1252', bytesOf('\ufeff<p>Grüße 漢', 'utf-8')),
  '/wrong': sent('text/html; charset=utf-8', bytesOf('<meta charset=windows-1252><p>Grüße', 'utf-8')),
  '/unlabelled': sent('text/html', Buffer.from([0x3c, 0x70, 0x3e, 0x93, 0xfc, 0x94])),
  '/shadow': shadow(`
    const host = document.createElement('div');
    const outer = host.attachShadow({ mode: 'open' });
    outer.innerHTML = '<p>in the shadow</p><slot></slot><span></span>';
    outer.querySelector('span').attachShadow({ mode: 'open', delegatesFocus: true }).innerHTML = '<b>deeper</b>';
    host.append('slotted');
    document.body.append(host);
    const hidden = document.createElement('aside');
    hidden.attachShadow({ mode: 'closed' }).innerHTML = 'closed';
    document.body.append(hidden);`),
  '/shadow-late': shadow(`
    customElements.define('x-card', class extends HTMLElement {
      connectedCallback() {
        const root = this.attachShadow({ mode: 'open' });
        let left = 8;
        const step = () => { root.innerHTML = '<p>' + left + '</p>'; if (left-- > 0) setTimeout(step, 60); };
        step();
      }
    });
    setTimeout(() => document.body.append(document.createElement('x-card')), 50);`),
  '/declared': '<x-y><template shadowrootmode=open><p>declared</p></template></x-y>',
  '/untouched': `<html lang=en data-x="1&quot;"><head><base href="/elsewhere/"><noscript><link rel=x href=a></noscript></head>
    <body><a href=rel>a</a><noscript><img src="pixel.gif"> & more</noscript><iframe srcdoc="<p>framed</p>"></iframe></body></html>`,
  '/cut-length': (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': 9_999 });
    response.write('<p>half</p><p>of it', () => response.destroy());
  },
  '/cut-chunk': (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.write('<p>half</p><p>of it', () => setImmediate(() => response.destroy()));
  },
  // Without a length or chunks, only the reset distinguishes it from a complete page.
  '/cut-reset': ({ socket }) => {
    const page = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>half</p><p>of it';
    socket.write(page, () => setImmediate(() => socket.resetAndDestroy()));
  },
  '/407': (_, response) =>
    response
      .writeHead(407, { 'Content-Type': 'text/html', 'Proxy-Authenticate': 'Basic realm="x"' })
      .end('<p>not for you'),
  '/cut-at-once': (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': 500 });
    response.write('<p>ha', () => setImmediate(() => response.destroy()));
  },
  '/cut-gzip': (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' });
    // Cut off in the code table, before the first byte of text.
    const skewed = Array.from({ length: 4_000 }, (_, index) => scattered(index) & (index % 2 ? 0x7f : 0x1f));
    response.end(gzipSync(Buffer.from(skewed)).subarray(0, 45));
  },
  // Nothing of a page, and an empty page, by the two ways in which servers end a body.
  ...Object.fromEntries(
    (['gzip', 'br'] as const).flatMap((encoding) =>
      [true, false].flatMap((isWhole) =>
        [true, false].map((isChunked) => [
          `/${isWhole ? 'empty' : 'cut'}-${encoding}-${isChunked ? 'chunked' : 'announced'}`,
          (_: unknown, response: ServerResponse) => {
            const encode = encoding === 'gzip' ? gzipSync : brotliCompressSync;
            const body = isWhole ? encode('') : encode('<p>words </p>'.repeat(300)).subarray(0, 12);
            response.writeHead(200, {
              ...{ 'Content-Type': 'text/html', 'Content-Encoding': encoding },
              ...(!isChunked && { 'Content-Length': body.length }),
            });
            response.end(body);
          },
        ]),
      ),
    ),
  ),
  '/cut-untyped': (_, response) => {
    response.writeHead(200, { 'Content-Type': '*/*', 'Content-Length': 9_999 });
    response.write('<p>half</p><p>of it', () => response.destroy());
  },
  '/srcdoc': '<p>here<script>onload = () => { location = "about:srcdoc" }</script>',
  '/stops': '<p>stopped<script>stop()</script>',
  '/stays': '<p>stays<script>onload = () => { location = "/204" }</script>',
  '/204': (_, response) => response.writeHead(204).end(),
  '/downloads': '<p>stays<a download href=/500></a><script>onload = () => document.links[0].click()</script>',
  '/500': (_, response) => response.writeHead(500, { 'Content-Type': 'text/html' }).end('<p>five'),
  '/nowhere': (_, response) => {
    response.writeHead(302, { 'Content-Type': 'text/html', Location: '' }).end('<p>here');
  },
  '/choices': (_, response) => {
    response.writeHead(300, { 'Content-Type': 'text/html', Location: '/stays' }).end('<p>here');
  },
  '/as-user': ({ headers }, response) => {
    response.writeHead(302, { Location: `http://user:secret@${headers.host}/stays` }).end();
  },
  '/calls': '<p>here<script>onload = () => { location = "tel:+4930123" }</script>',
  '/mails': '<p>here<a href=mailto:a@b.example></a><script>onload = () => document.links[0].click()</script>',
  '/opens': '<p>here<script>onload = () => { location = "myapp://open" }</script>',
  '/logs-in': '<p>here<script>onload = () => { location = "ssh://user@host.example" }</script>',
  '/falls-back':
    '<p>here<script>onload = () => { location = "myapp://open"; setTimeout(() => { location = "/stays" }, 300) }</script>',
  '/prerenders': `<script type=speculationrules>{ "prerender": [{ "urls": ["/pushes"], "eagerness": "immediate" }] }</script>
    <p>here<script>setTimeout(() => { location = "/pushes" }, 800)</script>`,
  '/clobbers': '<p>here<form><input name=shadowRoot><input name=querySelectorAll></form>',
  '/goes-as-user':
    '<p>here<script>onload = () => { location = `http://user:secret@${location.host}/stays` }</script>',
  '/pushes': '<script>history.pushState({}, "", "/pushed"); location.hash = "x"</script><p>pushed',
  '/frameworks': '<div id=react></div><div id=vue></div><script src=/bundle.js></script>',
};

/** A byte that hardly compresses, and the same in every run. */
function scattered(index: number): number {
  return Math.imul(index, 0x9e3779b1) >>> 24;
}

let site: Awaited<ReturnType<typeof renderSite>>;
let browser: Awaited<ReturnType<typeof openBrowsers>>;
beforeAll(async () => {
  site = await renderSite({
    ...routes,
    '/bundle.js': sent('text/javascript', Buffer.from(await frameworks())),
  });
  browser = await openBrowsers(site.host);
});
afterAll(() => Promise.all([browser, site].map((open) => open[Symbol.asyncDispose]())));
const render = (path: string) => browser.render(`${site.origin}${path}`);

test.each(extent(CHARSETS.slice(1, 5), CHARSETS))(
  'text in %s, declared by %s, is converted to UTF-8',
  async (charset, _, text) => {
    expect((await render(`/${charset}`)).html).toContain(`<p>${text}</p>`);
  },
);

test('text with conflicting or missing labels is decoded by the rules of HTML', async () => {
  expect((await render('/bom')).html).toContain('<p>Grüße 漢</p>');
  expect((await render('/wrong')).html).toContain('<p>Grüße</p>');
  expect((await render('/unlabelled')).html).toContain('<p>“ü”</p>');
});

test('the DOM includes open shadow roots, nested ones and slotted content', async () => {
  const { html, ms } = await render('/shadow');
  expect(html).toContain(
    '<div><template shadowrootmode="open"><p>in the shadow</p><slot></slot><span><template shadowrootmode="open" shadowrootdelegatesfocus=""><b>deeper</b></template></span></template>slotted</div>',
  );
  expect(html).toContain('<aside></aside>');
  expect(html).toMatch(/^<!DOCTYPE html><html><head><\/head><body>.*<\/body><\/html>$/s);
  expect(ms).toBeLessThan(4_500);
});

test('the DOM settles only after its open shadow roots', async () => {
  expect((await render('/shadow-late')).html).toContain(
    '<template shadowrootmode="open"><p>0</p></template>',
  );
});

test('the DOM keeps declarative shadow roots', async () => {
  expect((await render('/declared')).html).toContain(
    '<x-y><template shadowrootmode="open"><p>declared</p></template></x-y>',
  );
});

test('the DOM keeps base, noscript, frames and attributes unchanged', async () => {
  expect((await render('/untouched')).html).toBe(
    `<!DOCTYPE html><html lang="en" data-x="1&quot;"><head><base href="/elsewhere/"><noscript><link rel=x href=a></noscript></head>
    <body><a href="rel">a</a><noscript><img src="pixel.gif"> & more</noscript><iframe srcdoc="&lt;p&gt;framed&lt;/p&gt;"></iframe></body></html>`,
  );
});

test('the DOM includes content rendered by React and Vue', async () => {
  const { html } = await render('/frameworks');
  expect(html).toContain('<div id="react"><p>React: fetched</p></div>');
  expect(html).toContain('<p>Vue: fetched</p>');
});

test.each(['/cut-length', '/cut-chunk', '/cut-reset', '/cut-untyped'])(
  'a page that is cut off is partial without delay: %s',
  async (path) => {
    const { answer, html, ms } = await render(path);
    expect(answer).toMatchObject({ outcome: 'page', status: 200, renderState: 'partial' });
    expect(answer).toMatchObject({ contentTruncated: true });
    // Chromium drops what it has received but not yet parsed when a load fails.
    expect(html).toContain('<p>half</p>');
    expect(ms).toBeLessThan(4_500);
  },
);

test('a 407 of the target is a page', async () => {
  const { answer, html } = await render('/407');
  expect(answer).toMatchObject({ outcome: 'page', status: 407 });
  expect(html).toContain('<p>not for you');
});

test.each(['/cut-at-once', '/cut-gzip'])(
  'a page without content is bad_upstream_response: %s',
  async (path) => {
    expect((await render(path)).answer).toMatchObject({ outcome: 'error', code: 'bad_upstream_response' });
  },
);

const some = ['gzip-chunked', 'br-announced'];
test.each(extent(some, [...some, 'gzip-announced', 'br-chunked']))(
  'a page that is cut off before its first word is none, and an empty one is a page: %s',
  async (how) => {
    const code = 'bad_upstream_response';
    expect((await render(`/cut-${how}`)).answer).toMatchObject({ outcome: 'error', code });
    expect((await render(`/empty-${how}`)).answer).toMatchObject({
      outcome: 'page',
      renderState: 'complete',
    });
  },
);

test('a page that navigates to about:srcdoc is refused', async () => {
  expect((await render('/srcdoc')).answer).toMatchObject({
    code: 'url_not_allowed',
    fields: { reason: 'redirect' },
  });
});

test('a page that calls stop() is complete', async () => {
  const { answer, ms } = await render('/stops');
  expect(answer).toMatchObject({ renderState: 'complete' });
  expect(ms).toBeLessThan(4_500);
});

test('a download does not change the page', async () => {
  const { answer, html } = await render('/downloads');
  expect(answer).toMatchObject({ status: 200, url: `${site.origin}/downloads`, redirects: 0 });
  expect(html).toContain('<p>stays');
});

test.each([
  ['/nowhere', 302],
  ['/choices', 300],
])('a redirect status without a Location is a page: %s', async (path, status) => {
  const { answer, html } = await render(path);
  expect(answer).toMatchObject({ status, url: `${site.origin}${path}`, redirects: 0 });
  expect(html).toContain('<p>here');
});

test('a navigation after one to an app scheme is followed', async () => {
  const { answer } = await browser.render(`${site.origin}/falls-back`, 20_000, { wait: 1_000 });
  expect(answer).toMatchObject({ url: `${site.origin}/stays`, redirects: 1, renderState: 'complete' });
});

test('a prerendered page is the result once it is shown', async () => {
  const { answer, html } = await browser.render(`${site.origin}/prerenders`, 20_000, { wait: 2_000 });
  expect(answer).toMatchObject({ url: `${site.origin}/pushes`, redirects: 1 });
  expect(html).toContain('<p>pushed');
});

test('a form with inputs named like DOM properties is serialised', async () => {
  expect((await render('/clobbers')).html).toContain('<input name="shadowRoot">');
});

test.each(['/as-user', '/goes-as-user'])('a navigation to a URL with a user is refused: %s', async (path) => {
  const asked = site.asked.length;
  expect((await render(path)).answer).toMatchObject({ outcome: 'error', code: 'url_not_allowed' });
  // A redirect to it is not followed.
  if (path === '/as-user') expect(site.asked.slice(asked)).toEqual([path]);
});

test.each(extent(['/mails', '/opens'], ['/calls', '/mails', '/opens', '/logs-in']))(
  'a navigation to an app scheme does not change the page: %s',
  async (path) => {
    const { answer, html } = await render(path);
    expect(answer).toMatchObject({ status: 200, url: `${site.origin}${path}`, renderState: 'complete' });
    expect(html).toContain('<p>here');
  },
);

test('a navigation to a 204 response does not change the page', async () => {
  const { answer, html } = await render('/stays');
  expect(answer).toMatchObject({ status: 200, url: `${site.origin}/stays`, redirects: 0 });
  expect(html).toContain('<p>stays');
});

test('the reported URL is from the last response, even after history.pushState', async () => {
  expect((await render('/pushes')).answer).toMatchObject({ url: `${site.origin}/pushes`, redirects: 0 });
});

/** Production builds of both, which fetch their content. */
async function frameworks(): Promise<string> {
  const contents = `
    import { createElement, useEffect, useState } from 'react';
    import { createRoot } from 'react-dom/client';
    import { createApp, h } from 'vue';
    const text = () => new Promise((resolve) => setTimeout(resolve, 20, 'fetched'));
    function App() {
      const [state, set] = useState('waiting');
      useEffect(() => void text().then(set), []);
      return createElement('p', null, 'React: ' + state);
    }
    createRoot(document.querySelector('#react')).render(createElement(App));
    createApp({
      data: () => ({ state: 'waiting' }),
      mounted() { text().then((state) => { this.state = state; }); },
      render() { return h('p', 'Vue: ' + this.state); },
    }).mount('#vue');`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]?.text ?? '';
}
