import { join } from 'node:path';
import puppeteer, { type Page } from 'puppeteer-core';
import { chromiumFlags, FRAMES_ON_DEMAND } from '../../functions/browser/isolate/chromium-flags.ts';
import { createProfile, removeProfile } from '../../functions/browser/isolate/create-profile.ts';
import { VIEWPORTS } from '../../shared/contract/picture.ts';
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

async function launch(dir: string) {
  const { path, env } = await createProfile(dir);
  const flags = chromiumFlags({
    proxyUrl: '',
    profile: path,
    // A new context needs its own renderer.
    processes: 'many',
  })
    .filter((flag) => !flag.startsWith('--proxy') && !FRAMES_ON_DEMAND.includes(flag))
    // Loads neither pictures nor fonts, like a plain scrape.
    .map((flag) => (flag.startsWith('--blink-settings=') ? `${flag},imagesEnabled=false` : flag))
    .concat('--disable-remote-fonts');
  const browser = await puppeteer.launch({
    executablePath: join(dir, 'chromium'),
    args: flags,
    ignoreDefaultArgs: true,
    pipe: true,
    env,
    defaultViewport: null,
    waitForInitialPage: false,
  });
  return {
    newPage: () => browser.newPage(),
    createBrowserContext: () => browser.createBrowserContext(),
    close: async () => {
      await browser.close();
      await removeProfile(path);
    },
  };
}
