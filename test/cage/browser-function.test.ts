import { readFile } from 'node:fs/promises';
import { kill } from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { descendantsOf, processes } from '../../local/lambda/process-tree.ts';
import { bundledBrowser } from '../support/cage/bundled-browser.ts';
import type { CagedFunction } from '../support/cage/caged-function.ts';
import { cageHere } from '../support/cage/cage.ts';
import { renderSite, type Respond } from '../support/servers/render-site.ts';
import { canary, saying, tlsServer } from '../support/servers/target-server.ts';

const { isPossible, missing, title } = await cageHere();
const SHORT_MS = 3_000;

const to =
  (location: string): Respond =>
  (_, response) =>
    response.writeHead(302, { location }).end();

describe.skipIf(!isPossible)(`the deployed bundle ${title}`, () => {
  const open = new AsyncDisposableStack();
  let browser: CagedFunction;
  let environment: number | undefined;
  let site: Awaited<ReturnType<typeof renderSite>>;

  beforeAll(async () => {
    const [secret, broken] = [open.use(await canary()), open.use(await saying('nothing of HTTP\r\n\r\n'))];
    const untrusted = open.use(await tlsServer((_, response) => response.end()));
    const closed = await canary();
    await closed[Symbol.asyncDispose]();
    site = open.use(
      await renderSite({
        '/': '<p>static',
        '/script': `<p id=p><script>
          fetch('/text').then((answer) => answer.text()).then((text) => setTimeout(() => { p.textContent = text; }, 50));
        </script>`,
        '/text': (_, response) => response.end('by script'),
        '/parts': `<iframe srcdoc="<p>framed"></iframe><p id=p><script>
          open('/popup');
          new Worker(URL.createObjectURL(new Blob(['postMessage("by worker")']))).onmessage = ({ data }) => { p.textContent = data; };
        </script>`,
        '/pdf': (_, response) => response.writeHead(200, { 'Content-Type': 'application/pdf' }).end('%PDF'),
        '/moved': to('/'),
        '/round': to('/round'),
        '/unending': '<p>so far<script async src=/never></script>',
        '/spins': '<p>so far<script>for (;;);</script>',
        '/never': () => undefined,
        '/dies': '<script src=/kill></script>',
        '/kill': () => void killChromium(),
        '/secret': to(secret.origin),
        '/closed': to(closed.origin),
        '/untrusted': to(untrusted.origin),
        '/broken': to(broken.origin),
        '/big': `<!--${'x'.repeat(60_000_000)}-->`,
      }),
    );
    const allow = [site, closed, untrusted, broken].map(({ host }) => host).join();
    browser = open.use(await bundledBrowser({ allow }));
    [environment] = browser.pids();
  });
  afterAll(() => open.disposeAsync());

  const render = (path: string, timeoutMs?: number) => browser.render(`${site.origin}${path}`, timeoutMs);

  /** Process ids of Chromium and its children. */
  async function chromium(): Promise<number[]> {
    const below = descendantsOf(browser.pids()[0] ?? NaN, await processes());
    const names = await Promise.all(
      below.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')),
    );
    return below.filter((_, index) => names[index]?.startsWith('chromium'));
  }

  async function killChromium(): Promise<void> {
    for (const pid of await chromium()) kill(pid, 'SIGKILL');
  }

  test.each([
    ['/', '<p>static'],
    ['/script', 'by script'],
    ['/parts', 'by worker'],
    ['/moved', '<p>static'],
    ['/pdf', '%PDF'],
  ])('%s returns a page', async (path, text) => {
    const { answer, html } = await render(path);
    expect(answer).toMatchObject({ outcome: 'page', status: 200 });
    expect(html).toContain(text);
  });

  test('an error of the target is a page', async () => {
    expect((await render('/nothing')).answer).toMatchObject({ outcome: 'page', status: 404 });
  });

  test.each(['/unending', '/spins'])('%s, incomplete at the deadline, is partial', async (path) => {
    const { answer, html } = await render(path, SHORT_MS);
    expect(answer).toMatchObject({ outcome: 'page', renderState: 'partial' });
    expect(html).toContain('<p>so far');
    expect((await render('/')).html).toContain('<p>static');
  });

  test.each([
    ['/secret', 'url_not_allowed'],
    ['/closed', 'connect_failed'],
    ['/untrusted', 'tls_failed'],
    ['/broken', 'bad_upstream_response'],
    ['/round', 'too_many_redirects'],
    ['/big', 'response_too_large'],
    ['/dies', 'browser_crashed'],
  ] as const)('%s is %s, and the next page is rendered', async (path, code) => {
    expect((await render(path)).answer).toMatchObject({ outcome: 'error', code });
    expect((await render('/')).html).toContain('<p>static');
  });

  test('Chromium has one process, the warm browser', async () => {
    await render('/parts');
    await expect.poll(async () => (await chromium()).length).toBe(1);
  });

  test('all tests ran in one environment, with spare memory', async () => {
    expect(browser.pids()).toEqual([environment]);
    if (!missing.includes('limit of memory')) expect((await browser.cage.usage()).oomKills).toBe(0);
  });
});
