// @module-tag soak
import { afterAll, describe, expect, test } from 'vitest';
import { picturesFrom } from '../../shared/contract/scrape/picture.ts';
import { colorOf, tallPages } from '../fixtures/tall-pages.ts';
import { browserPool } from '../support/browser/browser-pool.ts';
import { decodePng } from '../support/browser/decode-png.ts';
import { extent } from '../support/world/extent.ts';
import { html, renderSite, type Respond } from '../support/servers/render-site.ts';

/** One of each kind; `npm run test:soak` takes all. */
const SOME = [
  'images for an observer of most of each',
  'slow images',
  'a sticky foot',
  'contents of another size',
  'wider things that are cut off',
  'a page that grows',
];
const pages = extent(
  tallPages.filter(({ name }) => SOME.includes(name)),
  tallPages,
);

const numberOf = (url = '') => Number(/n=(\d+)/.exec(url)?.[1]);
/** An image of one colour, as late as its URL says. */
const band: Respond = ({ url }, response) => {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="100" viewBox="0 0 4 1" preserveAspectRatio="none"><rect width="4" height="1" fill="rgb(${colorOf(numberOf(url)).join()})"/></svg>`;
  const late = Number(/ms=(\d+)/.exec(url ?? '')?.[1] ?? 0);
  setTimeout(() => response.writeHead(200, { 'Content-Type': 'image/svg+xml' }).end(svg), late);
};
const frame: Respond = ({ url }, response) =>
  html(response, `<body style="margin:0;background:rgb(${colorOf(numberOf(url)).join()})">`);
const page =
  (document: string): Respond =>
  (_, response) =>
    void response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(document);

const site = await renderSite({
  '/band': band,
  '/frame': frame,
  ...Object.fromEntries(pages.map((it, index) => [`/${index}`, page(it.html)])),
});
const browsers = await browserPool(2, [site.host]);
afterAll(() => Promise.all([browsers, site].map((open) => open[Symbol.asyncDispose]())));

describe('a full page is whole, without a blank part, at its own height', () => {
  test.each(pages.map((it, index) => [it.name, it, index] as const))(
    '%s',
    async (_, { width: wantedWidth = 1_920, height: wantedHeight, seen }, index) => {
      const { answer, body } = await browsers.render(`${site.origin}/${index}`, 60_000, {
        blockResources: false,
        screenshot: { full_page: true },
      });
      if (answer.outcome !== 'page') throw new Error(`${answer.code}: ${answer.message}`);
      const { screenshot } = picturesFrom(body.subarray(answer.bytes), answer.pictures ?? {});
      const { width, height, at } = decodePng(screenshot?.body ?? new Uint8Array());
      expect(width).toBe(wantedWidth);
      expect(Math.abs(height - wantedHeight)).toBeLessThanOrEqual(1);
      const shown = seen.map(([x, y]) => [x, y, at(x, y)]);
      expect(shown).toEqual(seen);
    },
    90_000,
  );
});
