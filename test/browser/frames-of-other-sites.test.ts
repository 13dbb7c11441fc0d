import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { isolates } from '../../functions/browser/launch/isolates.ts';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';
import { answerTo } from '../support/browser/chromium.ts';
import { html, renderSite } from '../support/servers/render-site.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const site = await renderSite({
  '/': (_, response) =>
    html(
      response,
      `<p></p><iframe src="http://localhost:${site.port}/frame"></iframe>
      <script>onmessage = ({ data }) => { document.querySelector('p').textContent = 'framed ' + data; }</script>`,
    ),
  '/frame': '<img src=/i.png onload="parent.postMessage(naturalWidth, `*`)">',
  '/i.png': (_, response) => response.setHeader('Content-Type', 'image/png').end(PIXEL),
});
const policy = { allow: [site.host, `localhost:${site.port}`] };
afterAll(() => site[Symbol.asyncDispose]());
beforeEach(() => {
  site.asked.length = 0;
});

/** With many processes, a cross-site frame has its own process and session. */
describe.each(['one', 'many'] as const)('with Chromium in %s', (processes) => {
  async function framed(blockResources: boolean) {
    await using browsers = isolates({ chromiumDir: await unpackChromium(), policy, processes });
    const request = { requestId: 'test', url: `${site.origin}/`, timeoutMs: 20_000, blockResources };
    return (await answerTo(browsers, request)).html;
  }

  test('cross-site frames load no images, which count as loaded', async () => {
    expect(await framed(true)).toContain('<p>framed 1</p>');
    expect(site.asked.toSorted()).toEqual(['/', '/frame']);
  });

  test('cross-site frames load images with block_resources off', async () => {
    expect(await framed(false)).toContain('<p>framed 1</p>');
    expect(site.asked.toSorted()).toEqual(['/', '/frame', '/i.png']);
  });
});
