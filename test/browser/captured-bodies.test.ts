import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import type { CaptureRule } from '../../shared/contract/scrape/capture.ts';
import type { JsScenario } from '../../shared/contract/scrape/js-scenario.ts';
import { openBrowsers } from '../support/browser/chromium.ts';
import { renderSite, type Respond } from '../support/servers/render-site.ts';

const CORS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' };
const GZIP = { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' };
const status = (code: number): Respond => {
  return (_, response) => response.writeHead(code).end();
};
const redirect = (path: string): Respond => {
  return ({ url = '' }, response) =>
    response.writeHead(303, { location: `${path}?${url.split('?')[1]}` }).end('moved');
};
const site = await renderSite({
  '/': `<p id="out"></p><script>
    const get = (url, options) => fetch(url, options).then((r) => r.arrayBuffer()).catch(() => {});
    const elsewhere = location.origin.replace('127.0.0.1', 'localhost');
    onload = async () => {
      await get('/204'); await get('/205'); await get('/304', { headers: { 'If-None-Match': 'x' } });
      await get('/head', { method: 'HEAD' }); await get('/empty'); await get('/empty.gz');
      await get('/data.gz'); await get('/large.gz'); await get('/kept'); await get('/kept');
      await get('/pieces'); await get(elsewhere + '/preflight', { headers: { 'X-Own': '1' } });
      await get('data:text/plain,data'); await get(URL.createObjectURL(new Blob(['blob'])));
      const xhr = new XMLHttpRequest(); xhr.open('HEAD', '/xhr'); xhr.send(); await new Promise((done) => { xhr.onload = done; });
      const frame = document.createElement('iframe'); frame.src = elsewhere + '/frame';
      onmessage = () => { frame.remove(); out.id = 'done'; }; document.body.append(frame);
    };
  </script>`,
  '/frame': `<script>fetch('/in-frame').then((r) => r.text()).then((text) => parent.postMessage(text, '*'))</script>`,
  '/204': status(204),
  '/205': status(205),
  '/304': status(304),
  '/head': (_, response) => response.writeHead(200, { 'Content-Length': '5' }).end(),
  '/xhr': status(200),
  '/empty': status(200),
  '/empty.gz': (_, response) => response.writeHead(200, GZIP).end(gzipSync('')),
  '/data.gz': (_, response) => response.writeHead(200, GZIP).end(gzipSync('data')),
  '/large.gz': (_, response) => response.writeHead(200, GZIP).end(gzipSync('x'.repeat(4_100_000))),
  '/kept': (_, response) => response.writeHead(200, { 'Cache-Control': 'max-age=60' }).end('kept'),
  '/pieces': (_, response) => {
    response.write('one ', () => response.write('two ', () => response.end('three')));
  },
  '/preflight': ({ method }, response) =>
    response.writeHead(200, CORS).end(method === 'OPTIONS' ? 'preflight' : 'data'),
  '/in-frame': (_, response) => response.end('in a frame'),
  '/redirects': `<button id="go"></button><p id="out"></p><script>
    go.onclick = async () => {
      for (const n of [1, 2, 3, 4]) await fetch('/first?' + n, { method: 'POST', body: 'x' }).then((r) => r.text());
    };
  </script>`,
  '/first': redirect('/second'),
  '/second': redirect('/last'),
  '/last': (_, response) => response.end('last'),
});
const browser = await openBrowsers(site.host, `localhost:${site.port}`);
afterAll(() => Promise.all([browser, site].map((open) => open[Symbol.asyncDispose]())));

test('each body is there: empty if there is none, decoded, from the cache, in pieces, or of a frame', async () => {
  const { answer } = await browser.render(`${site.origin}/`, 30_000, {
    capture: [{ url: '*' }],
    waitUntil: 'load',
    waitFor: '#done',
  });
  const kept = answer.outcome === 'page' ? (answer.captured ?? []) : [];
  expect(kept.map(({ url, body, omitted }) => [new URL(url).pathname, omitted ?? body])).toEqual([
    ['/204', ''],
    ['/205', ''],
    ['/304', ''],
    ['/head', ''],
    ['/empty', ''],
    ['/empty.gz', ''],
    ['/data.gz', 'data'],
    ['/large.gz', 'too_large'],
    ['/kept', 'kept'],
    ['/kept', 'kept'],
    ['/pieces', 'one two three'],
    ['/preflight', 'data'],
    ['/xhr', ''],
    ['/in-frame', 'in a frame'],
  ]);
});

test('a response is kept once by each URL that led to it, and waited for by each of them', async () => {
  const capture: CaptureRule[] = [
    { url: '*/first?1', method: 'POST' },
    { url: '*/second?2' },
    { url: '*/last?3', method: 'GET' },
    { url: '*?3' },
    // Nothing was requested so.
    { url: '*/first?4', method: 'GET' },
    { url: '*/last?4', method: 'POST' },
  ];
  const instructions: JsScenario['instructions'] = ['first', 'second', 'last'].flatMap((path) => [
    { click: '#go' },
    { wait_for_response: `*/${path}?4` },
  ]);
  const { answer } = await browser.render(`${site.origin}/redirects`, 30_000, {
    capture,
    jsScenario: { instructions },
  });
  expect(answer).toMatchObject({ outcome: 'page', report: { ok: true } });
  const kept = answer.outcome === 'page' ? (answer.captured ?? []) : [];
  expect(kept.slice(0, 3)).toMatchObject(
    [1, 2, 3].map((n) => ({
      url: `${site.origin}/last?${n}`,
      requested_url: `${site.origin}/first?${n}`,
      method: 'GET',
      status: 200,
      body: 'last',
    })),
  );
  expect(kept.some(({ url }) => url.endsWith('?4'))).toBe(false);
});
