import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { pid } from 'node:process';
import { expect, test } from 'vitest';
import { descendantsOf, processes } from '../../local/lambda/process-tree.ts';
import { impitFetcher } from '../../shared/adapters/impit-fetcher.ts';
import { openBrowsers, profiles } from '../support/chromium.ts';
import { renderSite } from '../support/render-site.ts';
import { targetServer } from '../support/target-server.ts';

const MB = 1_000_000;
const PLAIN = 200;
const RENDERED = 40;
const WARM_UP = 5;

const request = { renderJs: false, premiumProxy: false, timeout: 10_000 };
const context = { requestId: 'r', orgId: 'o', signal: new AbortController().signal };

/** Open files and sockets of this process. */
const openFiles = async () => (await readdir('/proc/self/fd')).length;
/** What is left of browsers: their processes, dead ones too, and their names in /tmp. */
const leftovers = async () => ({
  processes: descendantsOf(pid, await processes()).length,
  profiles: (await profiles()).length,
});

async function times(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await work();
}

test(`${PLAIN} plain scrapes leave no file open and no memory taken`, async () => {
  await using target = await targetServer((_, response) => response.end(Buffer.alloc(100_000, 'x')));
  const fetchPage = impitFetcher({ allow: [target.host] }, () => Promise.resolve(undefined));
  const scrape = () => fetchPage({ url: target.origin, ...request }, context);
  // The native client takes its arenas first; what counts is what each further scrape takes.
  await times(PLAIN, scrape);
  const [files, { rss }] = [await openFiles(), process.memoryUsage()];
  await times(PLAIN, scrape);
  // Closed sockets may be on their way out.
  await expect.poll(openFiles).toBeLessThanOrEqual(files + 2);
  expect(process.memoryUsage().rss - rss).toBeLessThan(0.2 * MB * PLAIN);
});

test(`${RENDERED} rendered scrapes leave no file, process, zombie or name in /tmp`, async () => {
  await using site = await renderSite({ '/': '<p>page<script>document.title = 1</script>' });
  await using browser = await openBrowsers(site.host);
  const scrape = () => browser.render(`${site.origin}/`);
  await times(WARM_UP, scrape);
  const [files, before] = [await openFiles(), await leftovers()];
  await times(RENDERED, scrape);
  await expect.poll(openFiles).toBeLessThanOrEqual(files + 4);
  await expect.poll(leftovers).toEqual(before);
  const names = await readdir(tmpdir());
  expect(names.filter((name) => /^(\.?org\.chromium|core\.|puppeteer)/.test(name))).toEqual([]);
});

test("nothing that one organization's page kept is there for the next one's", async () => {
  const counts = { cached: 0 };
  await using site = await renderSite({
    '/worker.js': (_, response) =>
      response.writeHead(200, { 'Content-Type': 'text/javascript' }).end('onfetch = () => 0'),
    '/cached': (_, response) => {
      counts.cached += 1;
      response.writeHead(200, { 'Cache-Control': 'public, max-age=3600' }).end('x');
    },
    '/': `<p id=seen>nothing</p><script>
      const busy = setInterval(() => { document.body.dataset.now = performance.now(); }, 20);
      addEventListener('load', () => look().catch((error) => { document.title = error; }).finally(() => clearInterval(busy)));
      async function look() {
        const seen = [
          document.cookie, Object.keys(localStorage), Object.keys(sessionStorage), await caches.keys(),
          (await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
          (await indexedDB.databases()).map(({ name }) => name),
        ].flat().filter(Boolean);
        await fetch('/cached');
        document.cookie = 'a=1; max-age=3600'; localStorage.a = 1; sessionStorage.a = 1;
        await caches.open('a'); indexedDB.open('a');
        await navigator.serviceWorker.register('/worker.js');
        document.querySelector('#seen').textContent = 'seen: ' + seen.join();
      }
    </script>`,
  });
  await using browser = await openBrowsers(site.host);
  for (let turn = 1; turn <= 3; turn += 1) {
    expect((await browser.render(`${site.origin}/`)).html).toContain('>seen: </p>');
    expect(counts.cached).toBe(turn);
  }
});
