import { afterAll, expect, test } from 'vitest';
import type { CaptureRule } from '../../shared/contract/scrape/capture.ts';
import type { JsScenario } from '../../shared/contract/scrape/js-scenario.ts';
import { openBrowsers } from '../support/browser/chromium.ts';
import { renderSite, type Respond } from '../support/servers/render-site.ts';

const script = (code: string): Respond => {
  return (_, response) => response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(code);
};
const json: Respond = ({ url = '' }, response) =>
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ from: url }));

/** What a worker runs; `tell` posts to the page. */
const get = (name: string) => `fetch('/api/${name}').then((r) => r.text()).then(tell)`;
const inWorker = (name: string) => `const tell = (text) => postMessage(text); ${get(name)}`;
/** Each starts one kind of worker, and ends once it has reported its data. */
const KINDS = {
  dedicated: `new Worker('/dedicated.js')`,
  module: `new Worker('/module.js', { type: 'module' })`,
  nested: `new Worker('/nesting.js')`,
  sync: `new Worker('/sync.js')`,
  ended: `new Worker('/ended.js')`,
  shared: `new SharedWorker('/shared.js').port`,
  service: `navigator.serviceWorker`,
};
const names = Object.keys(KINDS);
const page = (start: string) => `${names.map((name) => `<button id=${name}>${name}</button>`).join('')}
  <p id="out"></p><script>
    const start = {
      ${Object.entries(KINDS)
        .map(([name, code]) => `${name}: () => ${code}`)
        .join(',\n')}
    };
    let missing = ${names.length};
    const begin = (name) => {
      const worker = start[name]();
      worker.onmessage = ({ data }) => {
        // Its own copy of the response goes with it.
        worker.terminate?.();
        out.append(data);
        if (--missing === 0) out.id = 'all';
      };
      if (name === 'service') worker.register('/service.js');
    };
    for (const button of document.querySelectorAll('button')) button.onclick = () => begin(button.id);
    ${start}
  </script>`;

const site = await renderSite({
  '/': page(`for (const name in start) begin(name)`),
  '/later': page(''),
  '/dedicated.js': script(inWorker('dedicated')),
  '/module.js': script(`const tell = (text) => postMessage(text); await ${get('module')}`),
  '/nesting.js': script(`new Worker('/nested.js').onmessage = ({ data }) => postMessage(data)`),
  '/nested.js': script(inWorker('nested')),
  '/ended.js': script(`${inWorker('ended')}.then(close)`),
  '/sync.js': script(
    `const xhr = new XMLHttpRequest(); xhr.open('GET', '/api/sync', false); xhr.send(); fetch('/api/sync').then(() => postMessage(xhr.response))`,
  ),
  '/shared.js': script(
    `onconnect = ({ ports: [port] }) => { const tell = (text) => port.postMessage(text); ${get('shared')} }`,
  ),
  '/service.js': script(
    `const tell = async (text) => { for (const client of await clients.matchAll({ includeUncontrolled: true })) client.postMessage(text) };
     oninstall = (event) => event.waitUntil(caches.open('all').then((all) => all.add('/api/stored')).then(() => ${get('service')}))`,
  ),
  '/api/stored': json,
  ...Object.fromEntries(names.map((name) => [`/api/${name}`, json])),
});
const browser = await openBrowsers(site.host);
afterAll(() => Promise.all([browser, site].map((open) => open[Symbol.asyncDispose]())));

const pathOf = (url: string) => new URL(url).pathname;
const ruleOf = (name: string): CaptureRule => ({
  url: `*/api/${name}`,
  type: name === 'sync' ? 'xhr' : 'fetch',
  body: name !== 'shared',
});
const bodyOf = (name: string) => JSON.stringify({ from: `/api/${name}` });

test('responses that workers of any kind fetched are kept once each, with their bodies', async () => {
  const capture = [...names.map((name) => ruleOf(name)), { url: '*/api/stored' }];
  const ready = { waitUntil: 'load', waitFor: '#all' } as const;
  const { answer } = await browser.render(`${site.origin}/`, 30_000, { capture, ...ready });
  expect(answer).toMatchObject({ outcome: 'page', renderState: 'complete' });
  const kept = answer.outcome === 'page' ? (answer.captured ?? []) : [];
  const entries = kept.map(({ url, type, body, omitted }) => [pathOf(url), type, omitted ?? body] as const);
  const expected: unknown[] = names.map((name) => {
    const { type, body } = ruleOf(name);
    return [`/api/${name}`, type, body ? bodyOf(name) : undefined];
  });
  // Goes from the network to the cache, so Chromium may not have it.
  const stored: unknown = expect.toBeOneOf(['unavailable', bodyOf('stored')]);
  expect(entries.toSorted()).toEqual([...expected, ['/api/stored', 'fetch', stored]].toSorted());
});

test('a scenario waits for a response that a worker fetched', async () => {
  const instructions: JsScenario['instructions'] = names.flatMap((name) => [
    { click: `#${name}` },
    { wait_for_response: `*/api/${name}` },
  ]);
  const { answer } = await browser.render(`${site.origin}/later`, 30_000, { jsScenario: { instructions } });
  expect(answer).toMatchObject({ outcome: 'page', report: { ok: true } });
});
