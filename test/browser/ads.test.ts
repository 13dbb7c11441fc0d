import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { isolates } from '../../functions/browser/launch/isolates.ts';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';
import { anyHost } from '../support/servers/any-host.ts';
import { answerTo } from '../support/browser/chromium.ts';
import { html } from '../support/servers/render-site.ts';
import { targetServer } from '../support/servers/target-server.ts';

const ADS = [
  'www.googletagmanager.com',
  'securepubads.g.doubleclick.net',
  'static.criteo.net',
  'script.hotjar.com',
];
const HARMLESS = ['cdn.jsdelivr.net', 'ajax.aspnetcdn.com', 'www.microsoft.com'];

const page = `${[...ADS, ...HARMLESS].map((host) => `<script src=http://${host}/s.js></script>`).join('')}
  <iframe src=http://${ADS[1]}/frame></iframe>
  <script>new Worker(URL.createObjectURL(new Blob(["importScripts('http://${ADS[2]}/w.js')"])))</script><p>news`;

/** One server that responds for all hosts, behind a premium proxy. */
let asked: string[] = [];
const site = await targetServer(({ headers: { host = '' }, url }, response) => {
  asked.push(host);
  if (url === '/moves') response.writeHead(302, { Location: `http://${ADS[1]}/` }).end();
  else if (url === '/') html(response, page);
  else response.end();
});
const web = await anyHost(site.port);
const browsers = isolates({
  chromiumDir: await unpackChromium(),
  policy: web.policy,
  processes: inject('processes'),
});
afterAll(() => Promise.all([browsers, web, site].map((open) => open[Symbol.asyncDispose]())));
beforeEach(() => {
  asked = [];
});

const scrape = (url: string, blockAds: boolean) =>
  answerTo(browsers, { requestId: 'test', url, timeoutMs: 20_000, blockAds });
const hostsAsked = () => [...new Set(asked)].toSorted();

test('ads are loaded unless they are blocked', async () => {
  await scrape('http://news.example.com/', false);
  expect(hostsAsked()).toEqual(['news.example.com', ...ADS, ...HARMLESS].toSorted());
});

test('pages, frames and workers load no blocked ads, and the page is complete', async () => {
  const { answer, html: text } = await scrape('http://news.example.com/', true);
  expect(answer).toMatchObject({ outcome: 'page', status: 200, renderState: 'complete' });
  expect(text).toContain('<p>news</p>');
  expect(hostsAsked()).toEqual(['news.example.com', ...HARMLESS].toSorted());
});

test('an ad host that is the target is not blocked, nor are the other hosts of its owner', async () => {
  const { answer } = await scrape('http://www.criteo.com/', true);
  expect(answer).toMatchObject({ outcome: 'page' });
  expect(hostsAsked()).toEqual(['www.criteo.com', 'static.criteo.net', ...HARMLESS].toSorted());
});

test('the error for a redirect to an ad host names the reason', async () => {
  const { answer } = await scrape('http://news.example.com/moves', true);
  expect(answer).toMatchObject({
    code: 'url_not_allowed',
    message: expect.stringContaining('block_ads') as string,
    fields: { reason: 'redirect' },
  });
});
