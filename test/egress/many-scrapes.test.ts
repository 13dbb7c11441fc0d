import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pid } from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { isolates } from '../../functions/browser/isolate/isolates.ts';
import { descendantsOf, processes } from '../../local/lambda/process-tree.ts';
import { chromeFetcher } from '../../shared/adapters/chrome-fetcher.ts';
import { anyHost } from '../support/any-host.ts';
import { collectGarbage } from '../support/collect-garbage.ts';
import { answerTo, openBrowsers, profiles } from '../support/chromium.ts';
import { html, renderSite } from '../support/render-site.ts';
import { targetServer, tlsServer } from '../support/target-server.ts';
import { trustingChromium } from '../support/trusting-chromium.ts';
import { scrapeContext } from '../support/scrape-context.ts';

const MB = 1_000_000;
const PLAIN = 200;
const RENDERED = 200;
const WARM_UP = 50;
/** A machine with other work to do takes half a second for each. */
const RENDERED_WITHIN_MS = 240_000;
/** A port that is open to pages; HSTS leaves it as it is: https://www.rfc-editor.org/rfc/rfc6797#section-8.3 */
const HOST = 'a.example.com:8443';

// A folder for temporary files that no other Chromium on the machine writes to.
beforeAll(async () => {
  vi.stubEnv('TMPDIR', await mkdtemp(join(tmpdir(), 'many-scrapes-')));
});
afterAll(async () => {
  await rm(tmpdir(), { recursive: true });
  vi.unstubAllEnvs();
});

const request = { renderJs: false, premiumProxy: false, timeout: 10_000 };
const context = scrapeContext();

/** Open files and sockets of this process, but for those of native clients that only wait to be collected. */
async function openFiles(): Promise<number> {
  collectGarbage();
  // What a collection sets free is let go of in later turns.
  await setImmediate();
  return (await readdir('/proc/self/fd')).length;
}
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
  const fetchPage = chromeFetcher({ allow: [target.host] }, () => Promise.resolve(undefined));
  const scrape = () => fetchPage({ url: target.origin, ...request }, context);
  // The native client takes its arenas first; what counts is what each further scrape takes.
  await times(PLAIN, scrape);
  const [files, { rss }] = [await openFiles(), process.memoryUsage()];
  await times(PLAIN, scrape);
  // Closed sockets may be on their way out.
  await expect.poll(openFiles).toBeLessThanOrEqual(files + 2);
  expect(process.memoryUsage().rss - rss).toBeLessThan(0.2 * MB * PLAIN);
});

test(
  `${RENDERED} rendered scrapes leave no file, process, zombie or name in /tmp, and no memory taken`,
  async () => {
    await using site = await renderSite({ '/': '<p>page<script>document.title = 1</script>' });
    await using browser = await openBrowsers(site.host);
    const scrape = () => browser.render(`${site.origin}/`);
    await times(WARM_UP, scrape);
    const [files, before, { rss }] = [await openFiles(), await leftovers(), process.memoryUsage()];
    await times(RENDERED - WARM_UP, scrape);
    await expect.poll(openFiles).toBeLessThanOrEqual(files + 4);
    await expect.poll(leftovers).toEqual(before);
    expect(process.memoryUsage().rss - rss).toBeLessThan(0.2 * MB * (RENDERED - WARM_UP));
    const names = await readdir(tmpdir());
    expect(names.filter((name) => /^(\.?org\.chromium|core\.|puppeteer)/.test(name))).toEqual([]);
  },
  RENDERED_WITHIN_MS,
);

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

test("no connection of one organization's page is used again for the next one's", async () => {
  const sockets: Socket[] = [];
  await using site = await renderSite({
    '/': ({ socket }, response) => {
      sockets.push(socket);
      html(response, '<p>kept alive');
    },
  });
  await using browser = await openBrowsers(site.host);
  await times(3, () => browser.render(`${site.origin}/`));
  expect(sockets.length).toBe(3);
  expect(new Set(sockets).size).toBe(3);
});

test("a host that told one organization's browser to come by TLS only is asked in the clear by the next one's", async () => {
  const asked: string[] = [];
  const answer: RequestListener = (request, response) => {
    const isSecure = request.socket instanceof TLSSocket;
    asked.push(`${isSecure ? 'https' : 'http'} ${request.url ?? ''}`);
    if (isSecure) response.setHeader('Strict-Transport-Security', 'max-age=31536000');
    html(response, request.url === '/first' ? `<script>location = 'http://${HOST}/second'</script>` : '<p>x');
  };
  await using secure = await tlsServer(answer);
  await using plain = await targetServer(answer);
  await using web = await anyHost(plain.port, secure.port);
  await using chromium = await trustingChromium();
  await using browsers = isolates({
    chromiumDir: chromium.folder,
    policy: web.policy,
    processes: inject('processes'),
  });
  await answerTo(browsers, { requestId: 'a', url: `https://${HOST}/first`, timeoutMs: 10_000 });
  expect(asked).toEqual(['https /first', 'https /second']);
  await answerTo(browsers, { requestId: 'b', url: `http://${HOST}/third`, timeoutMs: 10_000 });
  expect(asked.slice(2)).toEqual(['http /third']);
});
