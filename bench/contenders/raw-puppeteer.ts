import { VIEWPORTS } from '../../shared/contract/scrape/picture.ts';
import { unguardedBrowser } from '../../test/support/browser/unguarded-browser.ts';
import type { Contender } from '../contender.ts';

/**
 * The same Chromium without a guard, with a new context for each page, and an explicit condition to wait for.
 */
export async function rawPuppeteer(chromiumDir: string, origin: string) {
  const browser = await launch(chromiumDir);
  const newContext: Contender = {
    name: 'puppeteer, new context each',
    async get({ path, selector }) {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.goto(origin + path);
      if (selector !== undefined) await page.waitForSelector(selector);
      return { body: await page.content(), end: () => context.close() };
    },
  };
  return { newContext, [Symbol.asyncDispose]: () => browser.close() };
}

/** Takes the picture of a page that is open already: what Chromium itself needs to draw and pack it. */
export async function rawPictures(chromiumDir: string, html: string) {
  const browser = await launch(chromiumDir);
  const page = await browser.newPage();
  await page.setViewport(VIEWPORTS.desktop);
  await page.setContent(html);
  return {
    take: () => page.screenshot({ fullPage: true, optimizeForSpeed: true }),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Loads neither pictures nor fonts, like a plain scrape. */
function launch(dir: string) {
  return unguardedBrowser(dir, (flags) => [
    ...flags.map((flag) => (flag.startsWith('--blink-settings=') ? `${flag},imagesEnabled=false` : flag)),
    '--disable-remote-fonts',
  ]);
}
