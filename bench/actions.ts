/**
 * `npm run bench:actions`: what steps and pictures take beside the plain render of the same page, in turns.
 * Fails if a goal is missed.
 */
import { unpackChromium } from '../infra/constructs/unpack-chromium.ts';
import { targetServer } from '../test/support/servers/target-server.ts';
import { rounded } from './compare.ts';
import { rawPictures } from './contenders/raw-puppeteer.ts';
import { assertMet, atMost } from './goals.ts';
import { interleaved, median } from './measure.ts';
import { openRenderer } from './rendered.ts';

const [ROUNDS, WARM_UP, STEPS] = [15, 3, 10];
/** Six windows high. */
const PAGE = `<!doctype html><title>Page</title><style>section { height: 1000px }</style>
<button id="go">Go</button>${Array.from({ length: 6 }, (_, n) => `<section><h2>Part ${n}</h2><p>${'Words of it. '.repeat(200)}</p></section>`).join('')}`;

await using site = await targetServer((_, response) =>
  response.writeHead(200, { 'Content-Type': 'text/html' }).end(PAGE),
);
await using renderer = await openRenderer(site.host);
await using raw = await rawPictures(await unpackChromium(), PAGE);
const clicks: number[] = [];
const render = (wishes: Parameters<typeof renderer.render>[1] = {}) =>
  renderer.render(`${site.origin}/`, wishes);
async function renderWithSteps() {
  const instructions = [{ wait_for: '#go' }, ...Array.from({ length: STEPS - 1 }, () => ({ click: '#go' }))];
  const { report } = await render({ jsScenario: { instructions } });
  clicks.push(...(report?.steps ?? []).filter(({ step }) => step === 'click').map(({ ms }) => ms));
}

const kinds = {
  'plain render': () => render(),
  [`${STEPS} steps`]: renderWithSteps,
  'screenshot of the viewport': () => render({ screenshot: {} }),
  'screenshot of the full page': () => render({ screenshot: { full_page: true } }),
  pdf: () => render({ pdf: {} }),
  'the full page alone, by raw Puppeteer': raw.take,
};
const medians = (await interleaved(Object.values(kinds), ROUNDS, WARM_UP)).map((times) => median(times));
const [plain = NaN, steps = NaN, viewport = NaN, fullPage = NaN, , rawPage = NaN] = medians;
console.table(
  Object.keys(kinds).map((name, index) => ({
    name,
    p50_ms: Math.round(medians[index] ?? NaN),
    ratio: rounded((medians[index] ?? NaN) / plain),
  })),
);
assertMet([
  atMost(40, 'a click, p50 ms', median(clicks)),
  atMost(500, `${STEPS} steps with their page, p50 ms`, steps),
  atMost(2, 'screenshot of the viewport, to the plain render', viewport / plain),
  atMost(
    1.5,
    'screenshot of the full page, to the plain render and the picture by raw Puppeteer',
    fullPage / (plain + rawPage),
  ),
]);
