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

/** Pairs of visible texts and controls whose boxes share more than a pixel, as their texts. */
export const overlaps = (page: Page) => page.evaluate(OVERLAPS) as Promise<string[]>;

/** What the boxes of a page are: of texts each line, cut where an element hides what is outside of it. */
const OVERLAPS = `(() => {
  const isShown = (it) =>
    !it.closest('.days, .skip, svg') && it.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const clipped = (box, from) => {
    let { left, top, right, bottom } = box;
    for (let it = from; it; it = it.parentElement) {
      if (getComputedStyle(it).overflow === 'visible') continue;
      const own = it.getBoundingClientRect();
      [left, top] = [Math.max(left, own.left), Math.max(top, own.top)];
      [right, bottom] = [Math.min(right, own.right), Math.min(bottom, own.bottom)];
    }
    return { left, top, right, bottom };
  };
  const boxes = [];
  const add = (name, from, rects) => {
    for (const rect of rects) {
      const box = clipped(rect, from);
      if (box.right - box.left > 2 && box.bottom - box.top > 2) boxes.push({ name, from, ...box });
    }
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: node } = texts;
    const from = node.parentElement;
    if (node.data.trim() === '' || from.closest('script, style, noscript, option') || !isShown(from)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    add(node.data.trim().slice(0, 40), from, range.getClientRects());
  }
  for (const it of document.querySelectorAll('input:not([type=hidden]), select, textarea, button, img, iframe, progress'))
    if (isShown(it)) add(it.name || it.textContent.trim() || it.tagName, it, [it.getBoundingClientRect()]);
  const found = [];
  for (const [index, one] of boxes.entries())
    for (const other of boxes.slice(index + 1)) {
      if (one.from === other.from || one.from.contains(other.from) || other.from.contains(one.from)) continue;
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      // Lines of text may touch with what letters hang below.
      if (wide > 1 && high > 4) found.push(one.name + ' / ' + other.name);
    }
  return [...new Set(found)];
})()`;

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
