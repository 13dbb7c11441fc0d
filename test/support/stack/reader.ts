import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults } from 'axe-core';
import puppeteer, { type Page } from 'puppeteer-core';
import { unpackChromium } from '../../../infra/constructs/unpack-chromium.ts';

const axe = await readFile(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** A browser that reads the project's pages and reaches no host but this machine. */
export async function openReader() {
  const chromium = await unpackChromium();
  const browser = await puppeteer.launch({
    executablePath: join(chromium, 'chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1'],
    headless: 'shell',
    pipe: true,
    env: { HOME: tmpdir(), LD_LIBRARY_PATH: join(chromium, 'lib'), FONTCONFIG_PATH: join(chromium, 'fonts') },
  });
  return {
    open: async (url: string, width: number, { isScripted = true } = {}) => {
      const page = await browser.newPage();
      const requested: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => void requested.push(request.url()));
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      page.on('pageerror', (error) => void complaints.push(String(error)));
      await page.setJavaScriptEnabled(isScripted);
      await page.setViewport({ width, height: 900 });
      await page.goto(url, { waitUntil: 'networkidle0' });
      return { page, requested, complaints };
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Sets the preferred color scheme. */
export async function turn(page: Page, scheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
}

/** Accessibility violations as `rule: element`, by all rules of axe or by some. */
export async function barriers(page: Page, ...runOnly: string[]): Promise<string[]> {
  await page.evaluate(axe);
  const options = { resultTypes: ['violations'], ...(runOnly.length > 0 && { runOnly }) };
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** Presses Tab until an element with this name has the focus. Throws if none gets it. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    await page.keyboard.press('Tab');
    if (name.test(String(await page.evaluate(FOCUSED)))) return;
  }
  throw new Error(`Tab does not reach ${String(name)}.`);
}

const MAX_STEPS = 100;

/** What an element is called, as a function of the page. */
export const NAME = `({ ariaLabel, placeholder, labels, innerText }) =>
  (ariaLabel || placeholder || labels?.[0]?.innerText || innerText || '').trim()`;
const FOCUSED = `(${NAME})(document.activeElement)`;
