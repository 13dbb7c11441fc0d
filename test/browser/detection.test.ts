import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isbot } from 'isbot';
import { afterAll, expect, test } from 'vitest';
import { openBrowsers } from '../support/browser/chromium.ts';
import { html, renderSite, type Respond } from '../support/servers/render-site.ts';

const DETECTORS = {
  botd: '@fingerprintjs/botd/dist/botd.esm.js',
  fpscanner: 'fpscanner/dist/fpScanner.es.js',
  fingerprintjs: '@fingerprintjs/fingerprintjs/dist/fp.esm.js',
};
const moduleAt =
  (path: string): Respond =>
  (_, response) => {
    const file = fileURLToPath(new URL(`../../node_modules/${path}`, import.meta.url));
    response.setHeader('Content-Type', 'text/javascript').end(readFileSync(file));
  };

/** A page that shows the findings of its script. */
const finding = (script: string) => `<pre id=found></pre><script type=module>
  const finding = async () => { ${script} };
  const text = await finding().then(JSON.stringify, (error) => JSON.stringify(String(error)));
  found.textContent = encodeURIComponent(text);
  found.className = 'done';
</script>`;

const PLUGINS = `
  const own = (object, name) => Object.getOwnPropertyDescriptor(object, name);
  const messageOf = (work) => { try { return work(); } catch (error) { return error.stack.split('\\n').length + error.message; } };
  const frame = document.body.appendChild(document.createElement('iframe')).contentWindow;
  const [first] = navigator.plugins;
  return {
    plugins: Array.from(navigator.plugins, ({ name, filename, length }) => [name, filename, length]),
    types: Array.from(navigator.mimeTypes, ({ type, suffixes, enabledPlugin }) => [type, suffixes, enabledPlugin.name]),
    viewer: navigator.pdfViewerEnabled,
    inFrame: [frame.navigator.plugins.length, Object.keys(frame.chrome ?? {})],
    kinds: [navigator.plugins instanceof PluginArray, String(navigator.plugins), String(first), String(first[0])],
    names: Object.getOwnPropertyNames(navigator.plugins).join(),
    same: [navigator.plugins === navigator.plugins, navigator.plugins.item(2 ** 32) === first, navigator.plugins['PDF Viewer'] === first,
      navigator.plugins.namedItem('none'), navigator.plugins.item(9)],
    ownOfNavigator: Object.getOwnPropertyNames(navigator),
    keys: [Navigator, PluginArray, Plugin, MimeType].map(({ prototype }) => Object.getOwnPropertyNames(prototype).slice(-4).join()),
    native: [own(Navigator.prototype, 'plugins').get, own(PluginArray.prototype, 'length').get, navigator.plugins.item, chrome.csi,
      requestIdleCallback, cancelIdleCallback, HTMLCanvasElement.prototype.toBlob, OffscreenCanvas.prototype.convertToBlob]
      .map((native) => /^function [^{]*{ \\[native code] }$/.test(String(native))),
    names2: [own(Navigator.prototype, 'plugins').get.name, navigator.plugins.item.name, navigator.plugins.item.length,
      requestIdleCallback.name, requestIdleCallback.length, cancelIdleCallback.name,
      HTMLCanvasElement.prototype.toBlob.name, HTMLCanvasElement.prototype.toBlob.length],
    thrown: [messageOf(() => Navigator.prototype.plugins) === messageOf(() => Navigator.prototype.vendor),
      messageOf(() => navigator.plugins.item()).replace('PluginArray', 'X') === messageOf(() => first.item()).replace('Plugin', 'X')],
    chrome: [Object.keys(chrome), own(window, 'chrome').configurable, typeof chrome.loadTimes().requestTime, chrome.csi().tran],
  };`;

let asked: string | undefined;
const site = await renderSite({
  ...Object.fromEntries(Object.entries(DETECTORS).map(([name, path]) => [`/${name}.js`, moduleAt(path)])),
  '/botd': finding(`const { load } = await import('/botd.js'); return (await load()).detect();`),
  '/fpscanner': finding(`const { default: Scanner } = await import('/fpscanner.js');
    const { fastBotDetectionDetails } = await new Scanner().collectFingerprint({ encrypt: false });
    return fastBotDetectionDetails;`),
  '/fingerprintjs': finding(
    `const { load } = await import('/fingerprintjs.js'); return (await load()).get();`,
  ),
  '/plugins': finding(PLUGINS),
  '/plain': (request, response) => {
    asked = request.headers['user-agent'];
    html(response, '<p>plain');
  },
});
const browser = await openBrowsers(site.host);
afterAll(() => Promise.all([browser, site].map((open) => open[Symbol.asyncDispose]())));

async function found(path: string, wishes: Parameters<typeof browser.render>[2] = {}): Promise<unknown> {
  const { html } = await browser.render(site.origin + path, 30_000, { waitFor: '.done', ...wishes });
  const text = /<pre id="found" class="done">([^<]*)/.exec(html)?.[1];
  expect(text, html.slice(0, 500)).toBeDefined();
  return JSON.parse(decodeURIComponent(text ?? ''));
}

test.each(['desktop', 'mobile'] as const)('BotD does not detect a rendered %s as a bot', async (device) => {
  expect(await found('/botd', { device })).toEqual({ bot: false });
});

test('FPScanner finishes without a finding of high severity', async () => {
  // It waits for an image.
  const rules = Object.entries(
    (await found('/fpscanner', { blockResources: false })) as Record<
      string,
      { detected: boolean; severity: string }
    >,
  );
  expect(rules.length).toBeGreaterThan(15);
  const hits = rules.filter(([, { detected }]) => detected).map(([name]) => name);
  // There is no graphics card and no time zone: docs/fidelity.md.
  expect(hits).toEqual(['hasSwiftshaderRenderer', 'hasUTCTimezone']);
});

test.each(['desktop', 'mobile'] as const)(
  "isbot does not detect the user agent of a %s as a bot's",
  async (device) => {
    await browser.render(`${site.origin}/plain`, 20_000, { device });
    expect(asked).toContain('Chrome/');
    expect(isbot(asked)).toBe(false);
  },
);

test('FingerprintJS finishes', async () => {
  const { visitorId } = (await found('/fingerprintjs')) as { visitorId: string };
  expect(visitorId).toMatch(/^[0-9a-f]{32}$/);
});

const NAMES = [
  'PDF Viewer',
  'Chrome PDF Viewer',
  'Chromium PDF Viewer',
  'Microsoft Edge PDF Viewer',
  'WebKit built-in PDF',
];

test('a desktop has the plugins and the chrome object of Chrome, in frames too, and both look native', async () => {
  expect(await found('/plugins')).toEqual({
    plugins: NAMES.map((name) => [name, 'internal-pdf-viewer', 2]),
    types: ['application/pdf', 'text/pdf'].map((type) => [type, 'pdf', 'PDF Viewer']),
    viewer: true,
    inFrame: [5, ['loadTimes', 'csi', 'app']],
    kinds: [true, '[object PluginArray]', '[object Plugin]', '[object MimeType]'],
    names: ['0,1,2,3,4', ...NAMES].join(),
    same: [true, true, true, null, null],
    ownOfNavigator: [],
    keys: [
      'getInstalledRelatedApps,getInterestGroupAdAuctionData,registerProtocolHandler,unregisterProtocolHandler',
      'item,namedItem,refresh,constructor',
      'length,item,namedItem,constructor',
      'suffixes,description,enabledPlugin,constructor',
    ],
    native: [true, true, true, true, true, true, true, true],
    names2: ['get plugins', 'item', 1, 'requestIdleCallback', 1, 'cancelIdleCallback', 'toBlob', 1],
    thrown: [true, true],
    chrome: [['loadTimes', 'csi', 'app'], false, 'number', 15],
  });
});
