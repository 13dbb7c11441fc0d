import { join } from 'node:path';
import type { Page } from 'puppeteer-core';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readFunctionLogs } from '../support/stack/read-function-logs.ts';
import { mailedCode } from '../support/stack/page-client.ts';
import { barriers, openReader, tabTo, turn } from '../support/stack/reader.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { PASSWORD } from '../support/world/visitor.ts';

const [stack, reader] = await Promise.all([sharedStack(), openReader()]);
afterAll(() => reader[Symbol.asyncDispose]());
const { baseUrl, dashboardUrl, demoSite, localDir } = stack;

const KEY = /sf_live_\w{12}_\w{38}/;
const textOf = async (page: Page, selector: string) =>
  String(await page.evaluate(`document.querySelector('${selector}').innerText`));
const finished = (page: Page) =>
  page.waitForFunction('/^[1-5]\\d\\d /.test(document.querySelector("#outcome").textContent)');

const playground = (width: number) => reader.open(`${dashboardUrl}/playground`, width);

/** Signs up in the reader's browser, whose pages share the session. */
async function signUp() {
  const email = `ada-${v7()}@example.com`;
  const { page } = await reader.open(`${dashboardUrl}/sign-up`, 1_280);
  const send = async (fields: Record<string, string>) => {
    for (const [name, value] of Object.entries(fields)) await page.locator(`[name="${name}"]`).fill(value);
    await Promise.all([page.waitForNavigation(), page.click('main .primary')]);
  };
  await send({ email, password: PASSWORD });
  await send({ code: await mailedCode(localDir, email) });
  await page.close();
}
beforeAll(signUp);

test('a page is scraped straight from the browser, and what it cost is shown', async () => {
  // Its balance is known only before other calls.
  await signUp();
  const { page, requested, complaints } = await playground(1_280);
  const keys: string[] = [];
  page.on('request', (request) => {
    const [key] = KEY.exec(request.headers()['authorization'] ?? '') ?? [];
    if (key !== undefined) keys.push(key);
  });
  await page.locator('[name="url"]').fill(`${demoSite}/js`);
  expect(await textOf(page, '.cost')).toContain('1 to 25 credits ');
  expect(await textOf(page, '[data-language="curl"]')).toContain('"mode": "auto"');
  await page.select('[name="mode"]', '');
  expect(await textOf(page, '.cost')).toContain('1 credit ');
  for (const [format, credits] of [
    ['screenshot', '5 credits '],
    ['', '1 credit '],
  ] as const) {
    await page.select('[name="format"]', format);
    expect(await textOf(page, '.cost')).toContain(credits);
  }
  await page.click('[name="render_js"]');
  expect(await textOf(page, '.cost')).toContain('5 credits ');
  expect(await textOf(page, '[data-language="curl"]')).toContain('"render_js": true');

  await page.click('#playground .primary');
  await finished(page);
  expect(await textOf(page, '.outcome')).toMatch(/^200 OK\s+5 credits used \(page\) · 995 left · [\d,]+ ms$/);
  expect(await textOf(page, '#body')).toContain('This text was fetched by JavaScript.');
  await page.click('#response summary');
  expect(await textOf(page, '#headers')).toContain('x-target-status');

  expect(keys).toHaveLength(1);
  const [key = ''] = keys;
  const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
  const cookies = JSON.stringify(await page.browserContext().cookies());
  const { text: logged } = await readFunctionLogs(join(localDir, 'logs'));
  for (const place of [String(kept), cookies, page.url(), requested.join(), await page.content(), logged])
    expect(place.includes(key)).toBe(false);
  await page.select('[name="mode"]', 'auto');
  expect(await textOf(page, '[data-language="curl"]')).not.toContain('render_js');
  await page.click('#playground .primary');
  await finished(page);
  expect(await textOf(page, '.outcome')).toMatch(/^200 OK\s+5 credits used \(page\) · 990 left · [\d,]+ ms$/);
  const hosts = new Set(requested.map((url) => new URL(url).origin));
  expect(hosts).toEqual(new Set([dashboardUrl, baseUrl]));
  expect(complaints).toEqual([]);
  await page.close();
});

test('Markdown is shown as a page in which nothing runs, and a picture as one', async () => {
  const { page, complaints } = await playground(1_280);
  await page.locator('[name="url"]').fill(`${demoSite}/magazine/`);
  await page.click('#playground summary');
  await page.select('[name="format"]', 'markdown');
  await page.click('#playground .primary');
  await finished(page);
  const shown = await page.waitForSelector('#rendered:not([hidden])');
  const frame = await shown?.contentFrame();
  await expect.poll(() => frame?.evaluate('document.querySelector("h1")?.textContent')).toBe('Crumb');
  expect(await page.evaluate('document.querySelector("#rendered").getAttribute("sandbox")')).toBe('');
  await page.select('[name="format"]', 'screenshot');
  await page.click('#playground .primary');
  await page.waitForFunction('document.querySelector("#picture").naturalWidth > 300');
  expect(await page.evaluate('document.querySelector("#rendered").hidden')).toBe(true);
  expect(await barriers(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

test('Markdown of a stranger loads nothing, and its markup is text', async () => {
  const { page, requested } = await playground(1_280);
  const stranger = 'http://127.0.0.1:9';
  const body = `# A\n\n<link rel="preconnect" href="${stranger}">\n\n![b](${stranger}/b.png) <b>c</b>\n\n|d|\n|-|\n|e<br>f|`;
  await page.setRequestInterception(true);
  page.on('request', (request) => {
    const isScrape = request.method() === 'POST' && request.url().startsWith(baseUrl);
    const headers = { 'Access-Control-Allow-Origin': dashboardUrl };
    const markdown = { headers, contentType: 'text/markdown; charset=utf-8', body };
    void (isScrape ? request.respond(markdown) : request.continue());
  });
  await page.click('#playground .primary');
  const shown = await page.waitForSelector('#rendered:not([hidden])');
  const frame = await shown?.contentFrame();
  await expect.poll(() => frame?.evaluate('document.querySelector("h1")?.textContent')).toBe('A');
  expect(await frame?.evaluate('document.body.innerText')).toContain('<b>c</b>');
  expect(await frame?.evaluate('document.querySelectorAll("link, b").length')).toBe(1);
  expect(await frame?.evaluate('document.querySelector("td").innerText')).toBe('e\nf');
  expect(await frame?.evaluate('document.querySelector("img").naturalWidth')).toBe(0);
  expect(requested.filter((url) => url.startsWith(stranger))).toEqual([]);
  await page.close();
});

test('a part of a text leads to the next one, until nothing follows', async () => {
  const { page } = await playground(1_280);
  await page.locator('[name="url"]').fill(`${demoSite}/big?mb=1`);
  await page.click('#playground summary');
  for (const name of ['format', 'scope'])
    await page.select(`[name="${name}"]`, { format: 'text', scope: 'full' }[name] ?? '');
  await page.locator('[name="max_chars"]').fill('1000000');
  await page.click('#playground .primary');
  await page.waitForSelector('#next-part:not([hidden])');
  expect(await textOf(page, '#about-body')).toMatch(/, a part of [\d,]{9} characters$/);
  await page.click('#next');
  await page.waitForSelector('#next-part', { hidden: true });
  await finished(page);
  expect(await page.$eval('[name="offset"]', ({ value }) => Number(value))).toBeGreaterThan(990_000);
  await page.close();
});

test("a fault stands beside its field, and a stranger's markup is text", async () => {
  const { page } = await playground(390);
  await page.locator('[name="url"]').fill('ftp://example.com/');
  await page.click('#playground .primary');
  await finished(page);
  expect(await textOf(page, '#field-url-fault')).toContain('its scheme is neither http nor https');
  expect(await page.$('[name="url"][aria-invalid="true"]')).not.toBeNull();
  await page.locator('[name="url"]').fill(`${demoSite}/js`);
  await page.click('#playground .primary');
  await page.waitForFunction('document.querySelector("#body").textContent.includes("<script>")');
  expect(await page.$$('#body *')).toEqual([]);
  expect(await page.$('[aria-invalid]')).toBeNull();
  await page.close();
});

test('the keyboard alone sends a request and reaches its response', async () => {
  const { page } = await playground(1_280);
  await page.focus('[name="url"]');
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.type(demoSite);
  await tabTo(page, /^Send$/);
  await page.keyboard.press('Enter');
  await finished(page);
  expect(await textOf(page, '#body')).toContain('Demo site');
  await tabTo(page, /^Save the body$/);
  await page.close();
});

test.each([
  { width: 390, scheme: 'light' },
  { width: 1_280, scheme: 'dark' },
] as const)('a response is accessible and fits in $scheme at $width pixels', async ({ width, scheme }) => {
  const { page } = await playground(width);
  await page.locator('[name="url"]').fill(demoSite);
  await page.click('#playground .primary');
  await finished(page);
  await page.click('#playground summary');
  await page.click('#response summary');
  await turn(page, scheme);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  expect(await barriers(page)).toEqual([]);
  await page.close();
});

test('the API refuses preflight requests from other pages', async () => {
  const ask = (origin: string) =>
    fetch(`${baseUrl}/api/v1/scraper`, {
      method: 'OPTIONS',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    });
  const allowed = await ask(dashboardUrl);
  expect([allowed.status, allowed.headers.get('Access-Control-Allow-Origin')]).toEqual([204, dashboardUrl]);
  for (const origin of [baseUrl, demoSite, 'null', 'https://evil.example']) {
    const { status, headers } = await ask(origin);
    expect([origin, status, headers.get('Access-Control-Allow-Origin')]).toEqual([origin, 405, null]);
  }
});

test("errors of the gateway itself can be read by the dashboard's pages, with their headers", async () => {
  // A path that cannot be decoded reaches no function.
  const response = await fetch(`${baseUrl}/api/v1/%E0%A4%A`, { headers: { Origin: dashboardUrl } });
  expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([400, dashboardUrl]);
  const exposed = response.headers.get('Access-Control-Expose-Headers')?.split(', ');
  expect(exposed).toEqual(expect.arrayContaining(['X-Request-Id', 'X-Credits-Used', 'X-Credits-Reason']));
});
