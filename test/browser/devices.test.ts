import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { chromiumVersion, openBrowsers } from '../support/browser/chromium.ts';
import { html, renderSite } from '../support/servers/render-site.ts';

const IDENTITY = `(async () => {
  const hints = ['architecture', 'bitness', 'formFactors', 'fullVersionList', 'mobile', 'model', 'platform', 'uaFullVersion'];
  return { ua: navigator.userAgent, platform: navigator.platform, languages: navigator.languages.join(),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone, hints: await navigator.userAgentData.getHighEntropyValues(hints) };
})()`;
const WINDOW = `(async () => {
  const matches = (query) => matchMedia(query).matches;
  const { state } = await navigator.permissions.query({ name: 'notifications' });
  return { webdriver: navigator.webdriver, chrome: typeof window.chrome, notifications: [Notification.permission, state],
    touch: [navigator.maxTouchPoints, 'ontouchstart' in window], dpr: devicePixelRatio,
    pointers: { fine: matches('(pointer: fine)'), coarse: matches('(pointer: coarse)'), hover: matches('(hover: hover)') },
    window: [innerWidth, innerHeight], screen: [screen.width, screen.height], narrow: matches('(max-width: 500px)') };
})()`;

/** A script that reports its environment to the site, from a page, a frame or a worker. */
const telling = (name: string, script: string) =>
  `${script}.then((told) => fetch('/tell?${name}', { method: 'POST', body: JSON.stringify(told) }))`;

let told: Record<string, unknown> = {};
let asked: IncomingHttpHeaders = {};
const site = await renderSite({
  '/': (request, response) => {
    asked = request.headers;
    html(
      response,
      `<meta name=viewport content="width=device-width"><iframe src=http://localhost:${site.port}/frame></iframe>
       <script>${telling('identity', IDENTITY)}; ${telling('window', WINDOW)}; new Worker('/worker.js'); if (window.SharedWorker) new SharedWorker('/shared-worker.js');
       if (location.search) navigator.serviceWorker.register('/service-worker.js').then(() => navigator.serviceWorker.ready)
         .then(({ active }) => setInterval(() => active.postMessage('tell'), 50))
         .then((asking) => fetch('/when-told?' + ('SharedWorker' in window)).finally(() => clearInterval(asking)))
         .then(() => document.body.append(document.createElement('hr')));</script>`,
    );
  },
  '/frame': `<script>${telling('frame', IDENTITY)}; ${telling('frame-window', WINDOW)}</script>`,
  '/worker.js': (_, response) =>
    response.setHeader('Content-Type', 'text/javascript').end(telling('worker', IDENTITY)),
  '/shared-worker.js': (_, response) =>
    response.setHeader('Content-Type', 'text/javascript').end(telling('shared-worker', IDENTITY)),
  '/service-worker.js': (_, response) =>
    response
      .setHeader('Content-Type', 'text/javascript')
      .end(`onmessage = () => ${telling('service-worker', IDENTITY)}`),
  '/when-told': (request, response) => {
    const shared = request.url?.endsWith('true') ? ['shared-worker'] : [];
    const names = ['identity', 'frame', 'worker', 'service-worker', ...shared];
    const agentOf = (name: string) => (told[name] as { ua: string } | undefined)?.ua;
    // On a busy machine a service worker may get its user agent after its first line: docs/fidelity.md.
    const isTold = () =>
      names.every((name) => told[name]) && agentOf('service-worker') === agentOf('identity');
    const answer = () => (isTold() ? response.end('told') : setTimeout(answer, 20));
    answer();
  },
  '/tell': (request, response) => {
    const name = String(request.url).split('?')[1] ?? '';
    let body = '';
    request.on('data', (chunk: Buffer) => (body += String(chunk)));
    request.on('end', () => {
      told[name] = JSON.parse(body);
      response.end();
    });
  },
});
const browser = await openBrowsers(site.host, `localhost:${site.port}`);
afterAll(() => Promise.all([browser, site].map((open) => open[Symbol.asyncDispose]())));

const SYSTEMS = {
  desktop: { system: 'X11; Linux x86_64', platform: 'Linux x86_64', hinted: 'Linux', isMobile: false },
  mobile: { system: 'Linux; Android 10; K', platform: 'Linux armv81', hinted: 'Android', isMobile: true },
} as const;

test.each(['desktop', 'mobile'] as const)(
  'a %s has the same identity in headers, page, frame and worker',
  async (device) => {
    told = {};
    await browser.render(`${site.origin}/?serviceWorker`, 20_000, { device, waitFor: 'hr' });
    const { system, platform, hinted, isMobile } = SYSTEMS[device];
    const version = await chromiumVersion(browser.browsers);
    const major = version.split('.')[0];
    const identity = told.identity as { ua: string; hints: Record<string, unknown> };
    expect(told).toMatchObject({
      worker: identity,
      frame: identity,
      // Chrome on Android has no shared workers.
      ...(!isMobile && { 'shared-worker': identity }),
      'service-worker': identity,
    });
    expect(identity).toMatchObject({
      platform,
      languages: 'en-US,en',
      timeZone: 'UTC',
      hints: { platform: hinted, mobile: isMobile, uaFullVersion: version },
    });
    expect(identity.ua).toContain(`Mozilla/5.0 (${system}) AppleWebKit/537.36`);
    expect(identity.ua).toContain(`Chrome/${major}.0.0.0 ${isMobile ? 'Mobile ' : ''}Safari/537.36`);
    expect(asked).toMatchObject({
      'user-agent': identity.ua,
      'accept-language': 'en-US,en;q=0.9',
      'sec-ch-ua': `"Google Chrome";v="${major}", "Not_A Brand";v="8", "Chromium";v="${major}"`,
      'sec-ch-ua-mobile': isMobile ? '?1' : '?0',
      'sec-ch-ua-platform': `"${hinted}"`,
    });
    expect(JSON.stringify([told, asked])).not.toContain('Headless');
  },
);

test('a desktop has a mouse and a wide viewport', async () => {
  told = {};
  await browser.render(`${site.origin}/`);
  expect(told.window).toEqual({
    webdriver: false,
    chrome: 'object',
    notifications: ['denied', 'denied'],
    touch: [0, false],
    dpr: 1,
    pointers: { fine: true, coarse: false, hover: true },
    window: [1920, 1080],
    screen: [1920, 1080],
    narrow: false,
  });
});

test('a mobile has touch and a narrow viewport, in cross-site frames too', async () => {
  told = {};
  await browser.render(`${site.origin}/`, 20_000, { device: 'mobile' });
  const hand = { touch: [5, true], dpr: 2.625, pointers: { fine: false, coarse: true, hover: false } };
  expect(told.window).toMatchObject({
    ...hand,
    webdriver: false,
    window: [412, 915],
    screen: [412, 915],
    narrow: true,
  });
  expect(told['frame-window']).toMatchObject({ ...hand, screen: [412, 915] });
});
