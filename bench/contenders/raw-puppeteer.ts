import type { Page } from 'puppeteer-core';
import { VIEWPORTS } from '../../shared/contract/scrape/picture.ts';
import { unguardedBrowser } from '../../test/support/unguarded-browser.ts';
import type { Contender } from '../contender.ts';
import type { BenchPage } from '../pages/pages.ts';

/** The same Chromium and flags without a guard, with an explicit wait condition. */
export async function rawPuppeteer(chromiumDir: string, origin: string) {
  const browser = await launch(chromiumDir);
  const blank: Page[] = [];

  const reusedPage: Contender = {
    name: 'puppeteer, same page reused',
    async get(wanted) {
      const page = blank.pop() ?? (await browser.newPage());
      const body = await contentOf(page, origin, wanted);
      blank.push(page);
      return { body };
    },
  };
  const newContext: Contender = {
    name: 'puppeteer, new context each',
    async get(wanted) {
      const context = await browser.createBrowserContext();
      const body = await contentOf(await context.newPage(), origin, wanted);
      return { body, end: () => context.close() };
    },
  };
  const newBrowser: Contender = {
    name: 'puppeteer, new browser each',
    async get(wanted) {
      const fresh = await launch(chromiumDir);
      const body = await contentOf(await fresh.newPage(), origin, wanted);
      return { body, end: fresh.close };
    },
  };
  return {
    reusedPage,
    newContext,
    newBrowser,
    [Symbol.asyncDispose]: () => browser.close(),
  };
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

async function contentOf(page: Page, origin: string, { path, selector }: BenchPage): Promise<string> {
  await page.goto(origin + path);
  if (selector !== undefined) await page.waitForSelector(selector);
  return page.content();
}

/** Loads neither pictures nor fonts, like a plain scrape. */
function launch(dir: string) {
  return unguardedBrowser(dir, (flags) => [
    ...flags.map((flag) => (flag.startsWith('--blink-settings=') ? `${flag},imagesEnabled=false` : flag)),
    '--disable-remote-fonts',
  ]);
}
