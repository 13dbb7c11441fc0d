import type { IncomingHttpHeaders } from 'node:http';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { answerTo, openBrowsers } from '../support/browser/chromium.ts';
import { html, renderSite } from '../support/servers/render-site.ts';
import { browsersOfAnySite } from '../support/browser/any-site.ts';
import { targetServer } from '../support/servers/target-server.ts';

/** The headers received by each path, here and on another origin of the same host. */
let heard: Record<string, IncomingHttpHeaders> = {};
const hear: Parameters<typeof renderSite>[0][string] = (request, response) => {
  heard[request.url ?? ''] = request.headers;
  response.setHeader('Access-Control-Allow-Origin', '*').end('heard');
};

const other = await renderSite({
  '/other': hear,
  '/aims': (_, response) => response.writeHead(302, { Location: `${site.origin}/aimed-at` }).end(),
  '/landed': (request, response) => {
    heard['/landed'] = request.headers;
    html(response, `<script src=${site.origin}/from-elsewhere></script><p>landed`);
  },
});
const site = await renderSite({
  '/': (request, response) => {
    heard['/'] = request.headers;
    html(
      response,
      `<script src=/script></script><script>fetch('/fetched'); fetch('${other.origin}/other')</script>`,
    );
  },
  '/tells': (request, response) => {
    heard['/tells'] = request.headers;
    html(
      response,
      `<p id=page></p><p id=worker></p><script>
        page.textContent = navigator.userAgent + ' ' + navigator.userAgentData.brands.length + ' hints';
        const code = 'postMessage(navigator.userAgent)';
        new Worker(URL.createObjectURL(new Blob([code]))).onmessage = ({ data }) => { worker.textContent = data + ' in a worker'; };
        fetch('/fetched'); fetch('${other.origin}/other');
      </script>`,
    );
  },
  '/opens':
    '<script>onload = () => { location = "myapp://x"; setTimeout(() => fetch("/fetched"), 200) }</script>',
  '/script': hear,
  '/fetched': hear,
  '/moved': (_, response) => response.writeHead(302, { Location: '/' }).end(),
  '/leaves': (_, response) => response.writeHead(302, { Location: `${other.origin}/landed` }).end(),
  '/to-localhost': (_, response) =>
    response.writeHead(302, { Location: `http://localhost:${other.port}/other` }).end(),
  '/from-elsewhere': hear,
  '/aimed-at': hear,
  '/third-party': (_, response) =>
    html(response, `<script src=${other.origin}/aims></script><script src=/away></script><p>page`),
  '/away': (_, response) => response.writeHead(302, { Location: `${other.origin}/other` }).end(),
  '/reads-cookies': '<script>document.title = document.cookie</script>',
  '/sets-cookies': (_, response) =>
    response.writeHead(302, { 'Set-Cookie': 'theme=light; Path=/', Location: '/reads-cookies' }).end(),
});
const browser = await openBrowsers(site.host, other.host, `localhost:${other.port}`);
afterAll(() => Promise.all([browser, site, other].map((open) => open[Symbol.asyncDispose]())));
beforeEach(() => {
  heard = {};
});

const OWN = {
  authorization: 'Bearer secret',
  'User-Agent': 'mine/1.0',
  'accept-language': 'de',
  Referer: 'https://example.com/from',
  'X-Own': 'mine',
};

test.each(['/', '/moved'])('headers are sent with %s and requests to its origin only', async (path) => {
  await browser.render(`${site.origin}${path}`, 20_000, { headers: OWN });
  const own = {
    authorization: 'Bearer secret',
    'user-agent': 'mine/1.0',
    'accept-language': 'de',
    'x-own': 'mine',
  };
  expect(heard['/']).toMatchObject({ referer: 'https://example.com/from' });
  for (const asked of ['/', '/script', '/fetched']) expect(heard[asked], asked).toMatchObject(own);
  expect(heard['/']).toHaveProperty('sec-fetch-mode');
  expect(heard['/other']).not.toHaveProperty('authorization');
  expect(heard['/other']).not.toHaveProperty('x-own');
});

test('caller headers do not change the order of the headers of Chrome', async () => {
  const orders: string[][] = [];
  await using listening = await targetServer(({ rawHeaders }, response) => {
    orders.push(rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
    html(response, '<p>heard');
  });
  await using own = await openBrowsers(listening.host);
  const headers = { Aaa: '1', 'X-Own': 'mine', 'accept-language': 'de' };
  await own.render(`http://${listening.host}/`, 20_000);
  await own.render(`http://${listening.host}/`, 20_000, { headers });
  const [usual, mine] = orders.filter((order) => order.includes('upgrade-insecure-requests'));
  expect(mine?.filter((name) => usual?.includes(name))).toEqual(usual);
  expect(mine?.filter((name) => !usual?.includes(name))).toEqual(['aaa', 'x-own']);
});

test('a caller user agent applies to scripts, workers and other origins, and to client hints', async () => {
  const { html: text } = await browser.render(`${site.origin}/tells`, 20_000, {
    headers: OWN,
    waitFor: '#worker:not(:empty)',
  });
  expect(text).toContain('mine/1.0 0 hints');
  expect(text).toContain('mine/1.0 in a worker');
  for (const asked of ['/tells', '/fetched', '/other']) {
    expect(heard[asked]).toMatchObject({ 'user-agent': 'mine/1.0' });
    expect(heard[asked]).not.toHaveProperty('sec-ch-ua');
  }
  await browser.render(`${site.origin}/`, 20_000, { headers: { 'X-Own': 'mine' } });
  expect(heard['/']).toHaveProperty('sec-ch-ua');
});

test('a redirect back from another origin gets no caller headers, and a redirect away no Referer', async () => {
  await browser.render(`${site.origin}/third-party`, 20_000, { headers: OWN });
  expect(heard['/aimed-at']).toBeDefined();
  expect(heard['/aimed-at']).not.toHaveProperty('authorization');
  expect(heard['/aimed-at']).not.toHaveProperty('x-own');
  expect(heard['/other']).toBeDefined();
  expect(heard['/other']?.referer ?? '').not.toContain('example.com');
  const { answer } = await browser.render(`${site.origin}/leaves`, 20_000, { headers: OWN });
  expect(answer).toMatchObject({ outcome: 'page', url: `${other.origin}/landed`, redirects: 1 });
  expect(heard['/landed']).not.toHaveProperty('referer');
});

test('headers are still sent after a page opens an app', async () => {
  await browser.render(`${site.origin}/opens`, 20_000, { headers: OWN, wait: 1_000 });
  expect(heard['/fetched']).toMatchObject({ 'x-own': 'mine' });
});

test('headers are no longer sent once the page has left, even to their origin', async () => {
  const { html: text } = await browser.render(`${site.origin}/leaves`, 20_000, { headers: OWN });
  expect(text).toContain('landed');
  expect(Object.keys(heard).toSorted()).toEqual(['/from-elsewhere', '/landed']);
  for (const headers of Object.values(heard)) expect(headers).not.toHaveProperty('authorization');
});

test('cookies are sent, hidden from scripts, and replaceable by the site', async () => {
  const cookies = { theme: 'dark', odd: 'a "b"=c' };
  await browser.render(`${site.origin}/`, 20_000, { cookies });
  expect(heard['/']?.cookie).toBe('theme=dark; odd=a "b"=c');
  expect(heard['/fetched']?.cookie).toBe(heard['/']?.cookie);
  const read = await browser.render(`${site.origin}/reads-cookies`, 20_000, { cookies });
  expect(read.html).toContain('<title></title>');
  const set = await browser.render(`${site.origin}/sets-cookies`, 20_000, { cookies: { theme: 'dark' } });
  expect(set.html).toContain('<title>theme=light</title>');
});

test('cookies are sent to their host only', async () => {
  await browser.render(`${site.origin}/to-localhost`, 20_000, { cookies: { a: '1' } });
  expect(heard['/other']).toBeDefined();
  expect(heard['/other']).not.toHaveProperty('cookie');
});

test('a cookie that Chromium rejects is invalid_request', async () => {
  const { answer } = await browser.render(`${site.origin}/`, 20_000, { cookies: { a: '\u007f' } });
  expect(answer).toMatchObject({ code: 'invalid_request', fields: { param: 'cookies' } });
  expect(heard).toEqual({});
});

test('headers and cookies are kept after a redirect from http to https', async () => {
  const asked: string[] = [];
  await using site = await browsersOfAnySite((request, response) => {
    asked.push([request.headers['x-own'], request.headers.cookie].join());
    if (request.socket instanceof TLSSocket) html(response, '<p>secure');
    else response.writeHead(301, { Location: 'https://www.example.com/' }).end();
  });
  const wishes = { headers: { 'X-Own': 'mine' }, cookies: { a: '1' } };
  const { html: text } = await answerTo(site.browsers, {
    requestId: 'test',
    url: 'http://www.example.com/',
    timeoutMs: 20_000,
    ...wishes,
  });
  expect(text).toContain('<p>secure');
  expect(asked).toEqual(['mine,a=1', 'mine,a=1']);
});
