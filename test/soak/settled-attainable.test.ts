import { afterAll, describe, expect, test } from 'vitest';
import { pathOf, settledSite } from '../fixtures/settled/site.ts';
import { rawChromium } from '../support/browser/raw-chromium.ts';

const PATIENCE_MS = 9_000;

const site = await settledSite();
const chromium = await rawChromium();
afterAll(() => Promise.all([chromium, site].map((open) => open[Symbol.asyncDispose]())));

describe.concurrent('a browser that waits long enough reaches the final content of', () => {
  test.each(site.pages.filter(({ isUnreached }) => !isUnreached))('$name', async (page) => {
    const isDone = (html: string) =>
      page.holds.every((part) => html.includes(part)) && !page.lacks.some((part) => html.includes(part));
    const html = await chromium.read(site.origin + pathOf(page), isDone, PATIENCE_MS);
    expect(page.holds.filter((part) => !html.includes(part))).toEqual([]);
    expect(page.lacks.filter((part) => html.includes(part))).toEqual([]);
  });
});
