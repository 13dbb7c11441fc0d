import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { browsersOfAnySite } from '../support/browser/any-site.ts';
import { answerTo, openWarmBrowsers } from '../support/browser/chromium.ts';
import {
  leftByPlainScrapes,
  leftByRenderedScrapes,
  ownTemporaryFolder,
  times,
} from '../support/browser/leftovers.ts';
import { html, renderSite } from '../support/servers/render-site.ts';

/** Enough to reveal a leaked file or process per scrape. The soak measures memory with 200. */
const SCRAPES = 6;
/** HSTS keeps a port other than 80: https://www.rfc-editor.org/rfc/rfc6797#section-8.3 */
const HOST = 'a.example.com:8443';

ownTemporaryFolder();

test(`${SCRAPES} plain scrapes leave no file open`, { tags: ['soak'] }, async () => {
  await leftByPlainScrapes({ warmUp: SCRAPES, scrapes: SCRAPES });
});

test(
  `${SCRAPES} rendered scrapes leave no file, process, zombie or name in /tmp`,
  { tags: ['soak'] },
  async () => {
    await leftByRenderedScrapes({ warmUp: 3, scrapes: SCRAPES });
  },
);

test("no storage of one organization's page is visible to the next one's", async () => {
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
  await using browser = await openWarmBrowsers(site.host);
  for (let turn = 1; turn <= 3; turn += 1) {
    const { answer, html } = await browser.render(`${site.origin}/`);
    expect(answer).toMatchObject({ outcome: 'page' });
    expect(html).toContain('>seen: </p>');
    expect(counts.cached).toBe(turn);
  }
});

test("no connection of one organization's page is reused for the next one's", async () => {
  const sockets: Socket[] = [];
  await using site = await renderSite({
    '/': ({ socket }, response) => {
      sockets.push(socket);
      html(response, '<p>kept alive');
    },
  });
  await using browser = await openWarmBrowsers(site.host);
  await times(3, () => browser.render(`${site.origin}/`));
  expect(sockets.length).toBe(3);
  expect(new Set(sockets).size).toBe(3);
});

test("HSTS in one organization's browser does not apply to the next one's", async () => {
  const asked: string[] = [];
  const answer: RequestListener = (request, response) => {
    const isSecure = request.socket instanceof TLSSocket;
    asked.push(`${isSecure ? 'https' : 'http'} ${request.url ?? ''}`);
    if (isSecure) response.setHeader('Strict-Transport-Security', 'max-age=31536000');
    html(response, request.url === '/first' ? `<script>location = 'http://${HOST}/second'</script>` : '<p>x');
  };
  await using site = await browsersOfAnySite(answer);
  const { browsers } = site;
  await answerTo(browsers, { requestId: 'a', url: `https://${HOST}/first`, timeoutMs: 10_000 });
  await browsers.keepWarm();
  expect(asked).toEqual(['https /first', 'https /second']);
  await answerTo(browsers, { requestId: 'b', url: `http://${HOST}/third`, timeoutMs: 10_000 });
  expect(asked.slice(2)).toEqual(['http /third']);
});
