import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { snippetsOf } from '../../infra/docs/examples.ts';
import { guideEntries } from '../../infra/docs/guide-list.ts';
import { operations } from '../../infra/docs/reference.ts';
import { readLocalEnv } from '../../shared/local-config.ts';
import { errorCodes } from '../../shared/errors.ts';
import { extent } from '../support/world/extent.ts';
import { sharedStack } from '../support/stack/shared-stack.ts';
import { barriers, openReader, overlaps, tabTo, turn } from '../support/stack/reader.ts';

const [PHONE_WIDTH, DESKTOP_WIDTH] = [390, 1_280];
const MAX_HEIGHT = 10_000;
const LISTS = ['reference', 'headers', 'errors', 'programs'];
/** Where the page is among the results. */
const SHOWN = 4;
const FOUND = {
  'retry webhook': 'webhooks',
  'verify signature': 'webhooks',
  'job deadline': 'jobs',
  'sitemap urls': 'jobs',
  'credits cost': 'credits',
  'key restrictions': 'credits',
  'render wait': 'api-guide',
  'cached page': 'api-guide',
  'nightly prices': 'prices',
  'agent mcp': 'agents',
  'invite members': 'accounts',
  'request fields': 'fields',
  'extract rules': 'values',
  'markdown parts': 'outputs',
  'full screenshot': 'pictures',
  'bot wall': 'pictures',
  'click button': 'scenarios',
  'scenario report': 'scenario-reports',
  'tls fingerprint': 'fidelity',
  'upload million': 'batches',
  'crawl depth': 'crawls',
  'crawling robots': 'crawls',
  'typescript client': 'typescript',
  'python client': 'python',
  'command line': 'command-line',
  'firecrawl sdk': 'firecrawl',
  'cancel job': 'cancelJob',
  'list deliveries': 'listDeliveries',
  'render timeout': 'errors/timeout',
  'response headers': 'headers',
};
const PAGES = ['', '/crawls', '/fields', '/scrape', '/search?q=crawl+depth', '/errors', '/errors/timeout'];
const PROGRAMS: Readonly<Record<string, string>> = { sh: 'bash', mjs: process.execPath, py: 'python3' };

const [stack, reader] = await Promise.all([sharedStack(), openReader()]);
afterAll(() => reader[Symbol.asyncDispose]());
const DOCS = `${stack.baseUrl}/docs`;

describe.each([
  { width: PHONE_WIDTH, scheme: 'light', background: /^rgb\(2\d\d,/ },
  { width: DESKTOP_WIDTH, scheme: 'dark', background: /^rgb\(\d\d,/ },
] as const)('$scheme at $width pixels, the documentation', ({ width, scheme, background }) => {
  test.each(extent(['/crawls', '/errors/timeout'], PAGES))(
    '%s is accessible and requests no other host',
    async (path) => {
      const { page, requested, complaints } = await reader.open(DOCS + path, width);
      await page.evaluate('for (const details of document.querySelectorAll("details")) details.open = true');
      await turn(page, scheme);
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toMatch(background);
      expect(await barriers(page)).toEqual([]);
      // Scrolled contents pass below their search.
      await page.evaluate('document.querySelector("#contents").scrollTop = 0');
      expect(await overlaps(page)).toEqual([]);
      expect(complaints).toEqual([]);
      expect(requested.filter((url) => !url.startsWith(stack.baseUrl))).toEqual([]);
      await page.close();
    },
  );
});

test('every page fits a phone, and is no longer than a dozen screens', async () => {
  const { page } = await reader.open(DOCS, PHONE_WIDTH);
  const names = [...guideEntries.map(({ name }) => name), ...operations.map((it) => it.operationId)];
  for (const path of ['', ...[...names, ...LISTS].map((name) => `/${name}`), '/search?q=webhook+retry']) {
    await page.goto(DOCS + path);
    const { scrollWidth, scrollHeight } = (await page.evaluate(`(({ scrollWidth, scrollHeight }) =>
      ({ scrollWidth, scrollHeight }))(document.documentElement)`)) as Record<string, number>;
    expect([path, scrollWidth]).toEqual([path, PHONE_WIDTH]);
    expect(scrollHeight, path).toBeLessThan(MAX_HEIGHT);
  }
  await page.close();
});

test('two words find the page of the guide, also as Markdown', async () => {
  const headers = { Accept: 'text/markdown' };
  for (const [words, expected] of Object.entries(FOUND)) {
    const response = await fetch(`${DOCS}/search?q=${encodeURIComponent(words)}`, { headers });
    const links = [...(await response.text()).matchAll(/^- \[.*?\]\(([\w/-]+)\.md/gm)].map(
      ([, name]) => name,
    );
    expect(links.slice(0, SHOWN), words).toContain(expected);
  }
  expect(await (await fetch(`${DOCS}/search?q=zzzzzzzz`, { headers })).text()).toContain('Nothing found.');
  const markup = encodeURIComponent('"><script>crawl</script>');
  expect(await (await fetch(`${DOCS}/search?q=${markup}`)).text()).not.toContain('<script>crawl');
});

test('a reader finds a page with the keyboard alone, and words of others stay text', async () => {
  const { page, complaints } = await reader.open(DOCS, DESKTOP_WIDTH);
  await page.keyboard.press('/');
  await page.keyboard.type('crawl <b>politeness');
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  await tabTo(page, /^Crawls: Politeness$/);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  expect(page.url()).toBe(`${DOCS}/crawls#politeness`);
  expect(complaints).toEqual([]);
  await page.close();
});

test.each(['/crawls', '/getJob', '/errors/timeout'])('%s is also Markdown', async (path) => {
  const asPage = await fetch(DOCS + path);
  expect(asPage.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const bySuffix = await fetch(`${DOCS}${path}.md`);
  const byAccept = await fetch(DOCS + path, { headers: { Accept: 'text/markdown, text/html;q=0.5' } });
  for (const response of [bySuffix, byAccept]) {
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(response.headers.get('vary')).toContain('Accept');
  }
  const text = await bySuffix.text();
  expect(text).toMatch(/^# .+\n\n/);
  expect(await byAccept.text()).toBe(text);
});

test('a page that the reader has is not sent again', async () => {
  const first = await fetch(`${DOCS}/crawls`);
  const etag = first.headers.get('etag') ?? '';
  expect([first.headers.get('cache-control'), etag]).toEqual(['no-cache', expect.stringMatching(/^W\/"/)]);
  const again = await fetch(`${DOCS}/crawls`, { headers: { 'If-None-Match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  const other = await fetch(`${DOCS}/batches`, { headers: { 'If-None-Match': etag } });
  expect(other.status).toBe(200);
});

test('language models get a list of pages by absolute URLs, and a small OpenAPI document', async () => {
  const list = await (await fetch(`${stack.baseUrl}/llms.txt`)).text();
  const urls = [...list.matchAll(/\]\((.+?)\)/g)].map(([, url = '']) => url);
  expect(urls).toContain(`${DOCS}/crawls.md`);
  const broken = await Promise.all(urls.map(async (url) => ((await fetch(url)).ok ? [] : [url])));
  expect(broken.flat()).toEqual([]);
  const [whole, small] = await Promise.all(
    ['', '?examples=false'].map(async (query) =>
      (await fetch(`${stack.baseUrl}/openapi.json${query}`)).text(),
    ),
  );
  expect(small?.length).toBeLessThan((whole?.length ?? 0) / 2);
});

test('every error code has a page, and an unknown one has none', async () => {
  for (const code of errorCodes) {
    const response = await fetch(`${DOCS}/errors/${code}`);
    expect(response.status, code).toBe(200);
    expect(await response.text()).toContain(`<h1><code>${code}</code></h1>`);
  }
  expect((await fetch(`${DOCS}/errors/no_such_code`)).status).toBe(404);
  expect((await fetch(`${DOCS}/no-such-page`)).status).toBe(404);
});

test('the documentation can be read without a script, in any language', async () => {
  const { page } = await reader.open(`${DOCS}/scrape`, PHONE_WIDTH, { isScripted: false });
  const shown = () =>
    page.evaluate('[...document.querySelectorAll(".aside .tab")].map((tab) => tab.checkVisibility())');
  expect(await shown()).toEqual([true, false, false]);
  await page.click('.aside label:nth-of-type(3)');
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
  const { page, complaints } = await reader.open(`${DOCS}/scrape`, DESKTOP_WIDTH);
  await page.focus('.tabs input');
  await tabTo(page, /^Try it$/);
  await page.keyboard.press('Enter');
  await tabTo(page, /^sf_\.\.\.$/);
  await page.keyboard.type(stack.apiKey);
  await tabTo(page, /^Send$/);
  await page.keyboard.press('Enter');
  const text = (selector: string) => page.evaluate(`document.querySelector("${selector}").textContent`);
  await page.waitForSelector('.received', { visible: true });
  expect(await text('.received')).toContain('fetched by JavaScript');
  expect(await text('.outcome')).toMatch(/^200 .* · 5 credits used, \d+ left · [\d,]+ bytes · [\d,]+ ms$/);

  // The key and the job's id are still there on the pages of other operations.
  for (const operation of ['submitJob', 'getJob']) {
    await page.goto(`${DOCS}/${operation}`);
    await page.click('.try summary');
    await page.click('.try [type="submit"]');
    await page.waitForSelector('.received', { visible: true });
  }
  expect(await text('.received')).toMatch(/"job_id":"[0-9a-f-]{36}"/);

  for (const fetched of ['{"key":"sf_other"}', '{"key":"sf_other"}\n{}'])
    expect(await page.evaluate(`textOf(new TextEncoder().encode(${JSON.stringify(fetched)}), 'json')`)).toBe(
      fetched,
    );
  expect(await page.evaluate("sessionStorage.getItem('key')")).toBe(stack.apiKey);
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
    const text = await response.text();
    expect(response.status, text).toBe(201);
    return (JSON.parse(text) as { webhook_id: string }).webhook_id;
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
      const ready = code
        .replace('https://example.com/hooks', stack.demoSite)
        .replace("'@sitefetch/client'", JSON.stringify(inClients('typescript/src/sitefetch.ts')));
      await writeFile(file, ready.replace('https://example.com/', `${stack.demoSite}/js`));
      const ids = {
        JOB_ID: await jobFor(operationId),
        BATCH_ID: await batchFor(operationId),
        CRAWL_ID: await crawlFor(operationId),
        WEBHOOK_ID: await webhookFor(operationId),
        DELIVERY_ID: (await webhook).deliveryId,
      };
      const env = { ...access, ...ids, PYTHONPATH: inClients('python') };
      const { stdout } = await execFileOf(PROGRAMS[language] ?? '', [file], env, folder.path);
      expect(stdout.length > 0 || code.includes('--output'), `${operationId}.${language}`).toBe(true);
      if (operationId.startsWith('scrape')) expect(stdout).toContain('fetched by JavaScript');
    }
  });
});

/** The clients of the repository, in place of installed ones. */
const inClients = (path: string) => fileURLToPath(new URL(`../../clients/${path}`, import.meta.url));

function execFileOf(program: string, args: string[], env: object, cwd: string) {
  const { path: PATH } = readLocalEnv();
  return promisify(execFile)(program, args, { env: { PATH, ...env }, cwd });
}
