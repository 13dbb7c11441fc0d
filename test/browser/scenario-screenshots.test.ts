import { afterAll, describe, expect, test } from 'vitest';
import type { JsScenario } from '../../shared/contract/scrape/js-scenario.ts';
import type { RenderRequest } from '../../shared/contract/scrape/messages.ts';
import { browserPool } from '../support/browser/browser-pool.ts';
import { decodePng } from '../support/browser/decode-png.ts';
import { extent } from '../support/world/extent.ts';
import { renderSite } from '../support/servers/render-site.ts';

const [RED, GREEN, WHITE] = [
  [255, 0, 0],
  [0, 128, 0],
  [255, 255, 255],
];
/** As large as a photograph: noise that PNG cannot pack. */
const NOISE = `const { width, height } = noise, context = noise.getContext('2d'), data = context.createImageData(width, height);
  for (let at = 0; at < data.data.length; at += 65536) crypto.getRandomValues(data.data.subarray(at, at + 65536));
  for (let at = 3; at < data.data.length; at += 4) data.data[at] = 255;
  context.putImageData(data, 0, 0)`;

const site = await renderSite({
  '/green': (_, response) =>
    void response
      .writeHead(200, { 'Content-Type': 'image/svg+xml' })
      .end(
        '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><rect width="200" height="100" fill="green"/></svg>',
      ),
  '/page': `<style>body{margin:0;background:white} #box{width:200px;height:100px}</style>
    <div id="box"></div><img id="late" style="display:block"><button id="go">Go</button><p id="log"></p><div style="height:3000px"></div>
    <script>
      go.onclick = () => { box.style.background = 'red'; late.src = '/green' };
      for (const name of ['resize', 'scroll', 'blur', 'visibilitychange']) addEventListener(name, () => { log.textContent += name + ' ' });
    </script>`,
  '/paint': `<h1 id="end">Title</h1><script>
      new PerformanceObserver(() => { end.textContent = 'painted'; }).observe({ type: 'largest-contentful-paint', buffered: true });
    </script>`,
  '/noise': `<canvas id="noise" width="1900" height="1000"></canvas><script>${NOISE}</script>`,
});
const browsers = await browserPool(2, [site.host]);
afterAll(() => Promise.all([browsers, site].map((open) => open[Symbol.asyncDispose]())));

type Instructions = JsScenario['instructions'];
async function run(path: string, instructions: Instructions, wishes: Partial<RenderRequest> = {}) {
  const { answer, html } = await browsers.render(`${site.origin}${path}`, 30_000, {
    jsScenario: { instructions },
    blockResources: false,
    ...wishes,
  });
  return { answer, html, steps: answer.report?.steps ?? [] };
}

const bytesOf = (step: { screenshot?: { base64: string } | undefined } | undefined) =>
  Buffer.from(step?.screenshot?.base64 ?? '', 'base64');

describe.concurrent('a screenshot of a scenario', () => {
  test.each(['settled', 'load'] as const)(
    'shows the page at that step, with its images (%s)',
    async (waitUntil) => {
      const instructions: Instructions = [
        { screenshot: 'before' },
        { click: '#go' },
        { screenshot: { name: 'after', type: 'png' } },
      ];
      const { answer, html, steps } = await run('/page', instructions, { waitUntil });
      expect(answer).toMatchObject({ outcome: 'page', report: { ok: true } });
      expect(steps).toMatchObject([
        { step: 'screenshot', screenshot: { name: 'before', type: 'png', width: 1920, height: 1080 } },
        { step: 'click' },
        { step: 'screenshot', screenshot: { name: 'after', type: 'png', width: 1920, height: 1080 } },
      ]);
      const [before, after] = [decodePng(bytesOf(steps[0])), decodePng(bytesOf(steps[2]))];
      expect([before.at(50, 50), after.at(50, 50), after.at(50, 150)]).toEqual([WHITE, RED, GREEN]);
      // The page does not notice.
      expect(html).toContain('<p id="log"></p>');
    },
  );

  test('paints the page, whose scripts see that', async () => {
    const { html } = await run('/paint', [{ screenshot: 'painted' }]);
    expect(html).toContain('<h1 id="end">painted</h1>');
  });

  test('shows what the viewport shows', async () => {
    const { steps } = await run('/page', [{ click: '#go' }, { scroll_y: 100 }, { screenshot: 'scrolled' }]);
    expect(decodePng(bytesOf(steps[2])).at(50, 50)).toEqual(GREEN);
  });

  const SMALLER = [
    ['jpeg', [0xff, 0xd8, 0xff]],
    ['webp', [0x52, 0x49, 0x46]],
  ] as const;

  test.each(extent(SMALLER.slice(0, 1), SMALLER))(
    'is a %s, and smaller with less quality',
    async (type, magic) => {
      const { steps } = await run('/noise', [
        { screenshot: { name: 'good', type } },
        { screenshot: { name: 'poor', type, quality: 5 } },
      ]);
      const [good, poor] = steps.map(bytesOf);
      expect(good?.subarray(0, 3)).toEqual(Buffer.from(magic));
      expect(poor?.byteLength).toBeLessThan((good?.byteLength ?? 0) / 2);
    },
  );

  test('is in the report of a scenario that fails later', async () => {
    const { answer, steps } = await run('/page', [
      { repeat: { times: 2, do: [{ screenshot: 'round' }] } },
      { click: { selector: '#none', timeout: 0 } },
    ]);
    expect(answer).toMatchObject({ outcome: 'error', code: 'scenario_failed' });
    const rounds = steps.filter(({ step }) => step === 'screenshot');
    expect(rounds.map(({ screenshot }) => screenshot?.name)).toEqual(['round', 'round']);
    expect(decodePng(bytesOf(rounds[1])).width).toBe(1920);
  });

  test('fails in words when all of them are too large', async () => {
    const { answer, steps } = await run('/noise', [{ screenshot: 'noise' }]);
    expect(answer).toMatchObject({ outcome: 'error', code: 'scenario_failed' });
    expect(steps).toMatchObject([
      {
        status: 'failed',
        error:
          'the pictures and results of the scenario are larger than 4 MB together; a jpeg or webp is smaller',
      },
    ]);
    expect(steps[0]?.screenshot).toBeUndefined();
  });
});
