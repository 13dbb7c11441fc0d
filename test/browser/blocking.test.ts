import { afterAll, beforeEach, expect, test } from 'vitest';
import { openWarmBrowsers } from '../support/chromium.ts';
import { renderSite } from '../support/render-site.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const picture: Parameters<typeof renderSite>[0][string] = (_, response) =>
  response.setHeader('Content-Type', 'image/png').end(PIXEL);

const site = await renderSite({
  '/': `<style>@font-face { font-family: f; src: url(/f.woff2) } body { font-family: f; background: url(/bg.png) }</style>
    <p>text<img src=/i.png onload="document.body.id = 'seen ' + naturalWidth"><picture><source srcset=/s.png><img src=/p.png></picture>
    <video src=/v.mp4 autoplay muted poster=/poster.png></video><audio src=/a.mp3 preload=auto></audio>
    <img loading=lazy src=/lazy-near.png><div style="height: 20000px"></div><img loading=lazy src=/lazy-far.png>
    <iframe src=/frame></iframe><script src=/code.js></script>`,
  '/frame': '<img src=/framed.png>',
  '/code.js': '',
  ...Object.fromEntries(
    ['bg', 'i', 's', 'poster', 'lazy-near', 'lazy-far', 'framed'].map((name) => [`/${name}.png`, picture]),
  ),
});
const browser = await openWarmBrowsers(site.host);
afterAll(() => Promise.all([browser, site].map((open) => open[Symbol.asyncDispose]())));
beforeEach(() => {
  site.asked.length = 0;
});

const asked = () => site.asked.toSorted();

test('pictures, media and fonts are not loaded', async () => {
  const { html } = await browser.render(`${site.origin}/`);
  expect(html).toContain('<img src="/i.png"');
  expect(asked()).toEqual(['/', '/code.js', '/frame']);
});

test('with block_resources off they are, lazy ones as in any browser', async () => {
  const { html } = await browser.render(`${site.origin}/`, 20_000, { blockResources: false });
  expect(html).toContain('<body id="seen 1">');
  expect([...new Set(asked())]).toEqual(
    [
      '/',
      '/a.mp3',
      '/bg.png',
      '/code.js',
      '/f.woff2',
      '/frame',
      '/framed.png',
      '/i.png',
      '/lazy-near.png',
    ].concat(['/poster.png', '/s.png', '/v.mp4']),
  );
});

test('the scrape after one with pictures has none', async () => {
  await browser.render(`${site.origin}/frame`, 20_000, { blockResources: false });
  await browser.render(`${site.origin}/frame`);
  expect(site.asked).toEqual(['/frame', '/framed.png', '/frame']);
});
