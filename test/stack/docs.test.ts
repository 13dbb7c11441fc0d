import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { snippetsOf } from '../../infra/docs/examples.ts';
import { operations } from '../../infra/docs/reference.ts';
import { readLocalEnv } from '../../shared/local-config.ts';
import { errorCodes } from '../../shared/errors.ts';
import { extent } from '../support/world/extent.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { barriers, openReader, tabTo, turn } from '../support/stack/reader.ts';

const [PHONE_WIDTH, DESKTOP_WIDTH] = [390, 1_280];
const MAX_OPERATION_HEIGHT = 4_700;
const PROGRAMS: Readonly<Record<string, string>> = { sh: 'bash', mjs: process.execPath, py: 'python3' };

const [stack, reader] = await Promise.all([sharedStack(), openReader()]);
afterAll(() => reader[Symbol.asyncDispose]());
const DOCS = `${stack.baseUrl}/docs`;

describe.each([
  { width: PHONE_WIDTH, scheme: 'light', background: /^rgb\(2\d\d,/ },
  { width: DESKTOP_WIDTH, scheme: 'dark', background: /^rgb\(\d\d,/ },
] as const)('$scheme at $width pixels, the documentation', ({ width, scheme, background }) => {
  test.each(extent(['/errors/timeout'], ['', '/errors/timeout']))(
    '%s is accessible and requests no other host',
    async (path) => {
      const { page, requested, complaints } = await reader.open(DOCS + path, width);
      await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
      await turn(page, scheme);
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toMatch(background);
      expect(await barriers(page)).toEqual([]);
      expect(complaints).toEqual([]);
      expect(requested.filter((url) => !url.startsWith(stack.baseUrl))).toEqual([]);
      await page.close();
    },
  );

  test('fits the window, and each operation fits a few screens', async () => {
    const { page } = await reader.open(DOCS, width);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const heights = (await page.evaluate(
      'Object.fromEntries([...document.querySelectorAll(".operation")].map((it) => [it.id, it.offsetHeight]))',
    )) as Record<string, number>;
    expect(Object.keys(heights)).toEqual(operations.map(({ operationId }) => operationId));
    for (const [id, height] of Object.entries(heights)) expect(height, id).toBeLessThan(MAX_OPERATION_HEIGHT);
    await page.close();
  });
});

test('every link of the documentation leads somewhere', async () => {
  const { page } = await reader.open(DOCS, DESKTOP_WIDTH);
  const links = (await page.evaluate('[...document.links].map((link) => link.href)')) as string[];
  const ids = (await page.evaluate('[...document.querySelectorAll("[id]")].map(({ id }) => id)')) as string[];
  await page.close();
  const places = links
    .filter((link) => link.startsWith(`${DOCS}#`))
    .map((link) => new URL(link).hash.slice(1));
  expect(places.filter((place) => !ids.includes(place))).toEqual([]);
  const own = links.filter((link) => link.startsWith(stack.baseUrl));
  const pages = [...new Set(own.map((link) => link.replace(/#.*/, '')))];
  const broken = await Promise.all(pages.map(async (url) => ((await fetch(url)).ok ? [] : [url])));
  expect(broken.flat()).toEqual([]);
  expect(pages).toEqual(expect.arrayContaining(errorCodes.map((code) => `${DOCS}/errors/${code}`)));
});

test('every error code has a page, and an unknown one has none', async () => {
  for (const code of errorCodes) {
    const response = await fetch(`${DOCS}/errors/${code}`);
    expect(response.status, code).toBe(200);
    expect(await response.text()).toContain(`<h1><code>${code}</code></h1>`);
  }
  expect((await fetch(`${DOCS}/errors/no_such_code`)).status).toBe(404);
  expect((await fetch(`${DOCS}/errors`)).status).toBe(404);
});

test('the documentation can be read without a script, in any language', async () => {
  const { page } = await reader.open(DOCS, PHONE_WIDTH, { isScripted: false });
  const shown = () =>
    page.evaluate('[...document.querySelectorAll("#scrape .tab")].map((tab) => tab.checkVisibility())');
  expect(await shown()).toEqual([true, false, false]);
  await page.click('#scrape label:nth-of-type(3)');
  expect(await shown()).toEqual([false, false, true]);
  expect(await page.evaluate('document.querySelector(".try").checkVisibility()')).toBe(false);
  await page.click('.open-contents');
  await page.waitForSelector('#contents a', { visible: true });
  await page.close();
});

test('its policy refuses foreign scripts, markup from scripts and other hosts', async () => {
  const { page } = await reader.open(DOCS, DESKTOP_WIDTH);
  await expect(page.evaluate('document.body.innerHTML = "<b>"')).rejects.toThrow(/TrustedHTML/);
  await expect(page.evaluate(`fetch(${JSON.stringify(stack.demoSite)})`)).rejects.toThrow(/Failed to fetch/);
  await page.close();
});

test('a reader can try the API with the keyboard alone', async () => {
  const { page, complaints } = await reader.open(`${DOCS}#scrape`, DESKTOP_WIDTH);
  await page.focus('#scrape h3 a');
  await tabTo(page, /^Try it$/);
  await page.keyboard.press('Enter');
  await tabTo(page, /^sf_\.\.\.$/);
  await page.keyboard.type(stack.apiKey);
  await tabTo(page, /^Send$/);
  await page.keyboard.press('Enter');
  const text = (selector: string) => page.evaluate(`document.querySelector("${selector}").textContent`);
  await page.waitForSelector('#scrape .received', { visible: true });
  expect(await text('#scrape .received')).toContain('fetched by JavaScript');
  const outcome = /^200 .* · 5 credits used, \d+ left · [\d,]+ bytes · [\d,]+ ms$/;
  expect(await text('#scrape .outcome')).toMatch(outcome);

  await page.click('#submitJob .try summary');
  await page.click('#submitJob [type="submit"]');
  await page.waitForSelector('#submitJob .received', { visible: true });
  await page.click('#getJob .try summary');
  await page.click('#getJob [type="submit"]');
  await page.waitForSelector('#getJob .received', { visible: true });
  expect(await text('#getJob .received')).toMatch(/"job_id":"[0-9a-f-]{36}"/);
  expect(complaints).toEqual([]);
  await page.close();
});

describe('the example of', () => {
  const found = execFileOf('python3', ['-c', 'import requests'], {}, tmpdir()).then(
    () => true,
    () => false,
  );
  const job = stack.client.submit({ url: stack.demoSite }).then(async (id) => {
    await stack.client.settled(id);
    return id;
  });
  const pages = [{ url: stack.demoSite }, { url: stack.demoSite.replace('http:', 'https:') }];
  const submitBatch = async (requests: object[]) => {
    const answer = await stack.client.post('/api/v1/scraper/batches', { requests });
    return ((await answer.json()) as { batch_id: string }).batch_id;
  };
  /** One of its jobs fails. */
  const batch = submitBatch(pages).then(async (id) => {
    const path = `/api/v1/scraper/batches/${id}`;
    await vi.waitUntil(
      async () => (await (await stack.client.get(path)).text()).includes('"status":"completed"'),
      { timeout: 60_000, interval: 200 },
    );
    return id;
  });
  const submitCrawl = async (urls: string[]) => {
    const answer = await stack.client.post('/api/v1/crawls', { urls, limit: 2 });
    return ((await answer.json()) as { crawl_id: string }).crawl_id;
  };
  /** One of its URLs fails. */
  const crawl = submitCrawl(pages.map(({ url }) => url)).then(async (id) => {
    const path = `/api/v1/crawls/${id}`;
    await vi.waitUntil(async () => (await (await stack.client.get(path)).text()).includes('"completed_at"'), {
      timeout: 60_000,
      interval: 200,
    });
    return id;
  });
  const crawlFor = (operationId: string) =>
    operationId === 'cancelCrawl' ? submitCrawl([`${stack.demoSite}/slow?ms=60000`]) : crawl;
  const batchFor = (operationId: string) =>
    operationId === 'cancelBatch' ? submitBatch([{ url: `${stack.demoSite}/slow?ms=60000` }]) : batch;
  /** The others read the same job. */
  const jobFor = (operationId: string) =>
    operationId === 'cancelJob' || operationId === 'deleteJob'
      ? stack.client.submit({ url: `${stack.demoSite}/slow?ms=60000` })
      : job;

  const webhooks = `${stack.baseUrl}/api/v1/webhooks`;
  const headers = { Authorization: `Bearer ${stack.apiKey}`, 'Content-Type': 'application/json' };
  const made = async () => {
    const body = JSON.stringify({ url: stack.demoSite, events: [] });
    const response = await fetch(webhooks, { method: 'POST', headers, body });
    return ((await response.json()) as { webhook_id: string }).webhook_id;
  };
  const webhook = made().then(async (id) => {
    const response = await fetch(`${webhooks}/${id}/test`, { method: 'POST', headers });
    return { id, deliveryId: ((await response.json()) as { delivery_id: string }).delivery_id };
  });
  const webhookFor = async (operationId: string) =>
    operationId === 'deleteWebhook' ? made() : (await webhook).id;

  /** Some, in one language each, in turn; the soak runs all. */
  const ran = async (operationId: string) => {
    const all = await snippetsOf(operationId);
    const turn = operations.findIndex((operation) => operation.operationId === operationId);
    return extent(all.slice(turn % all.length, (turn % all.length) + 1), all);
  };

  const tried = extent(
    operations.filter((_, index) => index % 4 === 0),
    operations,
  );
  test.concurrent.each(tried)('$operationId runs', async ({ operationId }) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'example-'));
    const access = { SITEFETCH_URL: stack.baseUrl, SITEFETCH_KEY: stack.apiKey };
    for (const { language, code } of await ran(operationId)) {
      if (language === 'py' && !(await found)) {
        console.log(`Not run: ${operationId}.py, for want of python3 with requests.`);
        continue;
      }
      const file = join(folder.path, `${operationId}.${language}`);
      const ready = code.replace('https://example.com/hooks', stack.demoSite);
      await writeFile(file, ready.replace('https://example.com/', `${stack.demoSite}/js`));
      const ids = {
        JOB_ID: await jobFor(operationId),
        BATCH_ID: await batchFor(operationId),
        CRAWL_ID: await crawlFor(operationId),
        WEBHOOK_ID: await webhookFor(operationId),
        DELIVERY_ID: (await webhook).deliveryId,
      };
      const env = { ...access, ...ids };
      const { stdout } = await execFileOf(PROGRAMS[language] ?? '', [file], env, folder.path);
      expect(stdout.length > 0 || code.includes('--output'), `${operationId}.${language}`).toBe(true);
      if (operationId.startsWith('scrape')) expect(stdout).toContain('fetched by JavaScript');
    }
  });
});

function execFileOf(program: string, args: string[], env: object, cwd: string) {
  const { path: PATH } = readLocalEnv();
  return promisify(execFile)(program, args, { env: { PATH, ...env }, cwd });
}
