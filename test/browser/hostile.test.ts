import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { kill } from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, inject, test } from 'vitest';
import { createProfile } from '../../functions/browser/launch/create-profile.ts';
import { sweepProfiles } from '../../functions/browser/launch/sweep-profiles.ts';
import {
  chromiumProcesses,
  openBrowsers,
  openWarmBrowsers,
  profiles,
  rendererOf,
} from '../support/browser/chromium.ts';
import { extent } from '../support/world/extent.ts';
import { html, type Respond, renderSite } from '../support/servers/render-site.ts';
import { canary } from '../support/servers/target-server.ts';

const HARMLESS = '<p>harmless';

test('a page cannot reach a private target in any way', async () => {
  await using secret = await canary();
  const url = secret.origin;
  await using site = await renderSite({
    '/': `<link rel=stylesheet href=${url}/css><link rel=prefetch href=${url}/pre><script src=${url}/js></script>
      <iframe src=${url}/frame></iframe><object data=${url}/o></object><embed src=${url}/e><img src=${url}/i>
      <form id=f action=${url}/form method=post target=t></form><iframe name=t></iframe>
      <script>
        f.submit(); fetch('${url}/fetch', { mode: 'no-cors' }).catch(() => 0); navigator.sendBeacon('${url}/beacon', 'x');
        new WebSocket('${url.replace('http', 'ws')}/ws'); new EventSource('${url}/es'); open('${url}/popup');
        new Worker(URL.createObjectURL(new Blob(["fetch('${url}/worker', { mode: 'no-cors' })"])));
      </script><p>tried`,
  });
  await using browser = await openBrowsers(site.host);
  const { answer, html: text } = await browser.render(`${site.origin}/`);
  expect(answer).toMatchObject({ outcome: 'page', status: 200 });
  expect(text).toContain('<p>tried');
  expect(text).not.toContain('secret');
  expect(secret.connections()).toBe(0);
});

test.each([
  ['directly', 'private', (url: string) => url],
  ['by redirect', 'redirect', () => '/302'],
  ['by script', 'redirect', () => '/js'],
  ['by meta refresh', 'redirect', () => '/meta'],
])('a private target is url_not_allowed, reached %s', async (_, reason, where) => {
  await using secret = await canary();
  await using site = await renderSite({
    '/302': (__, response) => response.writeHead(302, { Location: secret.origin }).end(),
    '/js': `<script>location = "${secret.origin}"</script>`,
    '/meta': `<meta http-equiv=refresh content="0;url=${secret.origin}">`,
  });
  await using browser = await openBrowsers(site.host);
  const { answer } = await browser.render(new URL(where(secret.origin), site.origin).href);
  expect(answer).toMatchObject({ outcome: 'error', code: 'url_not_allowed', fields: { reason } });
  expect('message' in answer && answer.message).toContain(`"${secret.origin}/"`);
  expect(secret.connections()).toBe(0);
});

test.each(['file:///etc/passwd', 'ftp://127.0.0.1/', 'view-source:http://127.0.0.1/'])(
  'a redirect to %s returns no page',
  async (location) => {
    await using site = await renderSite({
      '/': (_, response) => response.writeHead(302, { Location: location }).end(),
    });
    await using browser = await openBrowsers(site.host);
    const { answer } = await browser.render(`${site.origin}/`);
    expect(answer).toMatchObject({ code: 'url_not_allowed', fields: { reason: 'redirect' } });
    expect('message' in answer && answer.message).toContain(`redirects to "${location}"`);
  },
);

test('a page that spins is partial, and the next scrape succeeds', async () => {
  await using site = await renderSite({ '/bad': '<p>x<script>while (1);</script>', '/good': HARMLESS });
  await using browser = await openBrowsers(site.host);
  const { answer, html, ms } = await browser.render(`${site.origin}/bad`, 2_500);
  expect(answer).toMatchObject({ outcome: 'page', renderState: 'partial' });
  expect(html).toContain('<p>x');
  expect(ms).toBeLessThan(25_000);
  expect((await browser.render(`${site.origin}/good`)).html).toContain(HARMLESS);
});

const PAGE_BOMBS: readonly [name: string, page: string][] = [
  ['nests 100,000 elements', '<div>'.repeat(100_000)],
  [
    'paints a hundred canvases of 30,000 by 30,000',
    `<script>
      for (let i = 0; i < 100; i++) {
        const canvas = document.body.appendChild(document.createElement('canvas'));
        canvas.width = canvas.height = 30000;
        canvas.getContext('2d').fillRect(0, 0, 30000, 30000);
        canvas.toDataURL();
      }
    </script>`,
  ],
  [
    'starts 1,000 workers that spin',
    '<script>for (let i = 0; i < 1000; i++) new Worker(URL.createObjectURL(new Blob(["for (;;);"])))</script>',
  ],
  // Between its dialogs, V8 looks for the order to terminate it only now and then.
  ['alerts without end', '<script>while (1) alert(1);</script>'],
];

test.each(extent(PAGE_BOMBS.slice(-1), PAGE_BOMBS))(
  'a page that %s is a page or a timeout, and the next scrape succeeds',
  async (_, page) => {
    await using site = await renderSite({ '/bad': `<p>bomb${page}`, '/good': HARMLESS });
    await using browser = await openBrowsers(site.host);
    const { answer, ms } = await browser.render(`${site.origin}/bad`, 1_500);
    expect(answer.outcome === 'page' ? 'page' : answer.code).toMatch(/^(page|timeout)$/);
    expect(ms).toBeLessThan(15_000);
    expect((await browser.render(`${site.origin}/good`)).html).toContain(HARMLESS);
  },
);

test('200 MB of HTML are response_too_large long before their end, and the next scrape succeeds', async () => {
  let sent = 0;
  function* pieces() {
    for (; sent < 200; sent += 1) yield `<!--${'x'.repeat(1_000_000)}-->`;
  }
  await using site = await renderSite({
    '/big': (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      // The reader disconnects before the end.
      pipeline(Readable.from(pieces()), response).catch(() => undefined);
    },
    '/good': HARMLESS,
  });
  await using browser = await openBrowsers(site.host);
  expect((await browser.render(`${site.origin}/big`)).answer).toMatchObject({ code: 'response_too_large' });
  expect(sent).toBeLessThan(100);
  expect((await browser.render(`${site.origin}/good`)).html).toContain(HARMLESS);
});

const CROWDS = [
  ['50 workers are allowed', 'complete', '/worker.js', 50],
  ['150 nested workers make the page partial', 'partial', '/nest.js', 1],
  ['150 workers make the page partial', 'partial', '/worker.js', 150],
] as const;

test.each(extent(CROWDS.slice(0, 2), CROWDS))('%s', async (_, renderState, script, count) => {
  const started = Promise.withResolvers<undefined>();
  const code = (source: string) => (__: unknown, response: ServerResponse) =>
    response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(source);
  await using site = await renderSite({
    // Delays the load event until all have started.
    '/': `<p>workers<script async src=/held.js></script><script>
      let missing = ${count};
      const heard = () => { missing -= 1; if (missing === 0) fetch('/started'); };
      for (let i = missing; i > 0; i--) new Worker('${script}').onmessage = heard;
    </script>`,
    '/worker.js': code('postMessage(0)'),
    '/nest.js': code(`let missing = 150;
      const heard = () => { missing -= 1; if (missing === 0) postMessage(0); };
      for (let i = missing; i > 0; i--) new Worker('/worker.js').onmessage = heard;`),
    '/held.js': (__, response) => void started.promise.then(() => response.end()),
    '/started': (__, response) => started.resolve(void response.end()),
  });
  await using browser = await openBrowsers(site.host);
  const { answer, ms } = await browser.render(`${site.origin}/`, 30_000);
  expect(answer).toMatchObject({ outcome: 'page', renderState });
  expect(ms).toBeLessThan(20_000);
});

// With one process, refusing a popup takes milliseconds on a busy machine.
const POPUPS = inject('processes') === 'one' ? 500 : 10_000;

test('dialogs are dismissed, popups are not opened, and beforeunload does not block', async () => {
  await using site = await renderSite({
    '/': `<script>
      for (let i = 0; i < ${POPUPS}; i++) open('/popup' + i);
      document.title = [confirm('?'), prompt('?')];
      onbeforeunload = (event) => { event.preventDefault(); event.returnValue = 'stay'; };
      onload = () => setTimeout(() => { location = '/next?' + document.title; });
    </script>`,
    '/next': HARMLESS,
  });
  await using browser = await openBrowsers(site.host);
  const { answer, html: text } = await browser.render(`${site.origin}/`, 50_000);
  expect(answer).toMatchObject({ url: `${site.origin}/next?false,` });
  expect(text).toContain(HARMLESS);
  expect(site.asked).toEqual(['/', '/next?false,']);
});

test.each([
  ['a page of its own site', '/victim', 200],
  ['a page of another site', '//other/victim', 200],
  ['an error of another site', '//other/victim', 500],
])('a page cannot pass itself off as %s', async (_, place, status) => {
  let answered = Promise.withResolvers<undefined>();
  const victim: Respond = (__, response) => {
    html(response, '<h1>victim', status);
    answered.resolve(undefined);
  };
  await using other = await renderSite({ '/victim': victim });
  const target = place.replace('//other', `http://localhost:${other.port}`);
  await using site = await renderSite({
    // It navigates while it blocks its reading, and unblocks as soon as the other page has responded.
    '/': `<h1>ATTACKER</h1><script>
      const hold = (path) => { const request = new XMLHttpRequest(); request.open('GET', path, false); request.send(); };
      onload = () => setTimeout(() => { hold('/held'); location = '${target}'; hold('/released'); }, 50);
    </script>`,
    '/victim': victim,
    '/held': (__, response) => void setTimeout(() => response.end(), 150),
    '/released': (__, response) => void answered.promise.then(() => response.end()),
  });
  await using browser = await openBrowsers(site.host, `localhost:${other.port}`);
  const wishes = { waitUntil: 'load', waitFor: 'h1', wait: 100 } as const;
  for (let turn = 0; turn < extent(1, 4); turn++) {
    answered = Promise.withResolvers();
    const { answer, html: text } = await browser.render(`${site.origin}/`, 20_000, wishes);
    const isAttacker = text.includes('ATTACKER');
    expect(text).toContain(isAttacker ? 'ATTACKER' : '<h1>victim');
    expect(answer).toMatchObject(
      isAttacker
        ? { url: `${site.origin}/`, status: 200 }
        : { url: new URL(target, site.origin).href, status },
    );
  }
});

test('a page that navigates in circles is too_many_redirects', async () => {
  await using site = await renderSite({ '/': '<script>location = "/?" + Math.random()</script>' });
  await using browser = await openBrowsers(site.host);
  expect((await browser.render(`${site.origin}/`)).answer).toMatchObject({ code: 'too_many_redirects' });
});

const VICTIMS: [string, () => Promise<number | undefined>][] = [
  ['browser', async () => (await chromiumProcesses())[0]],
  // With one process, there is no separate renderer to kill.
  ...(inject('processes') === 'many' ? [['renderer', rendererOf] as [string, typeof rendererOf]] : []),
];

test.each(VICTIMS)('a %s that dies is browser_crashed, and the next scrape succeeds', async (_, victim) => {
  await using site = await renderSite({
    '/dies': '<p>dying<script src=/kill></script>',
    '/kill': () => void victim().then((pid) => pid && kill(pid, 'SIGKILL')),
    '/good': HARMLESS,
  });
  await using browser = await openWarmBrowsers(site.host);
  const { answer, fault, ms } = await browser.render(`${site.origin}/dies`);
  expect(answer).toMatchObject({ code: 'browser_crashed' });
  if (inject('processes') === 'one') expect(fault).toContain('Chromium ended with SIGKILL.');
  expect(ms).toBeLessThan(15_000);
  expect((await browser.render(`${site.origin}/good`)).html).toContain(HARMLESS);
});

test('a scrape leaves nothing for the next one and no file', async () => {
  await using site = await renderSite({
    '/': `<script>
      document.title = [document.cookie, localStorage.visited].join();
      document.cookie = 'visited=1'; localStorage.visited = 1;
    </script>`,
  });
  {
    await using browser = await openWarmBrowsers(site.host);
    for (let turn = 0; turn < 3; turn++) {
      expect((await browser.render(`${site.origin}/`)).html).toContain('<title>,</title>');
      // Only the warm browser's.
      expect(await profiles()).toHaveLength(1);
    }
  }
  expect(await profiles()).toEqual([]);
  expect(await chromiumProcesses()).toEqual([]);
});

test('a profile left by an earlier process is removed at the start, even with the same process id', async () => {
  await createProfile(tmpdir());
  expect(await profiles()).toHaveLength(1);
  await sweepProfiles();
  expect(await profiles()).toEqual([]);
});

test.each(['SIGKILL', 'SIGSTOP'] as const)('a warm browser that received %s is replaced', async (signal) => {
  await using site = await renderSite({ '/': HARMLESS });
  await using browser = await openWarmBrowsers(site.host);
  await browser.render(`${site.origin}/`);
  const [leader] = await chromiumProcesses();
  kill(Number(leader), signal);
  expect((await browser.render(`${site.origin}/`)).html).toContain(HARMLESS);
  expect(await profiles()).toHaveLength(1);
});

test('an invalid event gets a response instead of an exception', async () => {
  await using browser = await openBrowsers();
  expect((await browser.render('http://127.0.0.1/', -1)).answer).toMatchObject({ code: 'internal' });
});
