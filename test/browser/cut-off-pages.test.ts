import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BROKEN, CUT, WHOLE } from '../fixtures/coded-bodies.ts';
import { openBrowsers } from '../support/browser/chromium.ts';
import { extent } from '../support/world/extent.ts';
import { renderSite } from '../support/servers/render-site.ts';

const all = Object.entries({ ...WHOLE, ...CUT, ...BROKEN });
const some = all.filter(([title]) =>
  /^half of (gzip|br)$|zstd with skipped|wrong|cut off before/.test(title),
);

let site: Awaited<ReturnType<typeof renderSite>>;
let browser: Awaited<ReturnType<typeof openBrowsers>>;
beforeAll(async () => {
  const routes = all.flatMap(([, { encoding, bytes }], at) =>
    ['text/html', 'application/octet-stream'].map((type, kind) => [
      `/${at}/${kind}`,
      (_: unknown, response: ServerResponse) =>
        response.writeHead(200, { 'Content-Type': type, 'Content-Encoding': encoding }).end(bytes),
    ]),
  );
  site = await renderSite(Object.fromEntries(routes) as Parameters<typeof renderSite>[0]);
  browser = await openBrowsers(site.host);
});
afterAll(() => Promise.all([browser, site].map((each) => each[Symbol.asyncDispose]())));

const render = (title: string, kind: 'page' | 'file') =>
  browser.render(`${site.origin}/${all.findIndex(([each]) => each === title)}/${kind === 'page' ? 0 : 1}`);

test.each(extent(some, all))('rendered, %s has a sign only if it is cut off', async (title) => {
  const { answer, html } = await render(title, 'page');
  // What Chromium shows of the others is nothing.
  if (title in BROKEN && answer.outcome === 'error') {
    expect(answer.code).toBe('bad_upstream_response');
    return;
  }
  expect(answer).toMatchObject({ outcome: 'page', status: 200 });
  expect('contentTruncated' in answer).toBe(!(title in WHOLE));
  expect(html.includes('<p>begin ')).toBe(!(title in BROKEN));
});

test.each(['half of gzip', 'gzip with bytes after its end'])('so has a file: %s', async (title) => {
  const { answer } = await render(title, 'file');
  expect(answer).toMatchObject({ outcome: 'page', contentType: 'application/octet-stream' });
  expect('contentTruncated' in answer).toBe(!(title in WHOLE));
});
