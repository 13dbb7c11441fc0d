import { afterAll, beforeEach, expect, test } from 'vitest';
import { openWarmBrowsers } from '../support/browser/chromium.ts';
import { renderSite } from '../support/servers/render-site.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const picture: Parameters<typeof renderSite>[0][string] = (_, response) =>
  response.setHeader('Content-Type', 'image/png').end(PIXEL);

/** Each reports to the page once it is loaded. */
const GATES = [
  ...['img', 'decode', 'picture', 'lazy', 'svg', 'input', 'preload', 'canvas', 'cors', 'credentials'],
  ...['data', 'blob', 'broken', 'background', 'font-face', 'font-load', 'fonts-ready', 'again'],
];

/**
 * A page with every kind of picture and font. It says each once: for the picture of an input, Chromium sends
 * `load` again with every layout of the input, blocked or not.
 */
const gates = () => `<p id=log></p>
<style>@font-face { font-family: f; src: url(/f.woff2) } body { font-family: f; background: url(/bg.png) }</style>
<script>
  const done = new Set();
  const said = (what) => { done.add(what); log.textContent = [...done].sort().join(' '); };
  const load = (what, src, then = () => {}) => {
    const img = new Image();
    img.onload = () => { if (img.complete && img.naturalWidth > 0) { then(img); said(what); } };
    img.src = src;
    return img;
  };
  load('img', '/i.png', () => load('again', '/i.png'));
  const decoded = new Image();
  decoded.src = '/d.png';
  decoded.decode().then(() => said('decode'));
  const cors = new Image();
  cors.crossOrigin = 'anonymous';
  cors.onload = () => { draw(cors).toDataURL(); said('cors'); };
  cors.src = 'http://elsewhere.example/c.png';
  const credentials = new Image();
  credentials.crossOrigin = 'use-credentials';
  credentials.onload = () => { draw(credentials).toDataURL(); said('credentials'); };
  credentials.src = 'http://elsewhere.example/u.png';
  function draw(img) {
    const canvas = document.createElement('canvas');
    canvas.getContext('2d').drawImage(img, 0, 0);
    return canvas;
  }
  load('canvas', '/canvas.png', (img) => draw(img).toDataURL());
  load('data', 'data:image/png;base64,${PIXEL.toString('base64')}');
  fetch('data:image/png;base64,${PIXEL.toString('base64')}').then((response) => response.blob())
    .then((blob) => load('blob', URL.createObjectURL(blob)));
  const broken = new Image();
  broken.onerror = () => said('broken');
  broken.src = 'data:image/png;base64,AAAA';
  load('background', '/bg.png');
  new FontFace('late', 'url(/late.woff2)').load().then(() => said('font-face'));
  document.fonts.load('16px f').then(([face]) => face.status === 'loaded' && said('font-load'));
  document.fonts.ready.then(() => said('fonts-ready'));
</script>
<link rel=icon href=/favicon.png><link rel=preload as=image href=/pre.png onload="said('preload')">
<picture><source srcset="/s.png 1x, /s2.png 2x"><img src=/p.png onload="said('picture')"></picture>
<img loading=lazy width=64 height=48 src=/lazy.png onload="this.offsetHeight === 48 && said('lazy')">
<svg><image href=/svg.png onload="said('svg')" /></svg><input type=image src=/input.png onload="said('input')">`;

const site = await renderSite({
  '/': `<style>@font-face { font-family: f; src: url(/f.woff2) } body { font-family: f; background: url(/bg.png) }</style>
    <p>text<img src=/i.png onload="document.body.id = 'seen ' + naturalWidth"><picture><source srcset=/s.png><img src=/p.png></picture>
    <video src=/v.mp4 autoplay muted poster=/poster.png></video><audio src=/a.mp3 preload=auto></audio>
    <img loading=lazy src=/lazy-near.png><div style="height: 20000px"></div><img loading=lazy src=/lazy-far.png>
    <iframe src=/frame></iframe><script src=/code.js></script>`,
  '/frame': '<img src=/framed.png>',
  '/code.js': '',
  '/gates': gates(),
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

test('images, media and fonts are not loaded', async () => {
  const { html } = await browser.render(`${site.origin}/`);
  expect(html).toContain('<img src="/i.png"');
  expect(asked()).toEqual(['/', '/code.js', '/frame']);
});

test('a blocked resource counts as loaded in every way that a page can check', async () => {
  const { html, answer } = await browser.render(`${site.origin}/gates`);
  expect(answer).toMatchObject({ outcome: 'page', renderState: 'complete' });
  expect(html).toContain(`<p id="log">${GATES.toSorted().join(' ')}</p>`);
  expect(asked()).toEqual(['/gates']);
});

test('no blocked resource is requested when the caller sets headers', async () => {
  const { html } = await browser.render(`${site.origin}/gates`, 20_000, { headers: { 'X-Own': 'yes' } });
  expect(html).toContain(`<p id="log">${GATES.toSorted().join(' ')}</p>`);
  expect(asked()).toEqual(['/gates']);
});

test('images, media and fonts are loaded with block_resources off, lazy ones when in view', async () => {
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

test('a scrape after one with images blocks them again', async () => {
  await browser.render(`${site.origin}/frame`, 20_000, { blockResources: false });
  await browser.render(`${site.origin}/frame`);
  expect(site.asked).toEqual(['/frame', '/framed.png', '/frame']);
});
