import { unpackChromium } from '../infra/constructs/unpack-chromium.ts';
import { rounded } from './compare.ts';
import { rawPictures } from './contenders/raw-puppeteer.ts';
import { type Goal, goalLine, isMet } from './goals.ts';
import { interleaved, median } from './measure.ts';
import { openRenderer } from './rendered.ts';

/**
 * What steps and pictures take beside the plain render of the same page, in turns: npm run bench:actions.
 * Exits with 1 if a goal is missed.
 */
const ROUNDS = 15;
const WARM_UP = 3;
const STEPS = 10;
/** Six windows high. */
const PAGE = Buffer.from(`<!doctype html><title>Page</title><style>section { height: 1000px }</style>
<button id="go">Go</button>${Array.from({ length: 6 }, (_, n) => `<section><h2>Part ${n}</h2><p>${'Words of it. '.repeat(200)}</p></section>`).join('')}`);

await using renderer = await openRenderer();
await using raw = await rawPictures(await unpackChromium(), String(PAGE));
const clicks: number[] = [];

async function render(wishes: Parameters<typeof renderer.ask>[2] = {}) {
  const { answer } = await renderer.ask('page', PAGE, wishes);
  if (answer.outcome !== 'page') throw new Error(JSON.stringify(answer));
  return answer;
}
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
const times = await interleaved(Object.values(kinds), ROUNDS, WARM_UP);
const plain = median(times[0] ?? []);
console.table(
  Object.fromEntries(
    Object.keys(kinds).map((name, index) => {
      const ms = median(times[index] ?? []);
      return [name, { 'ms, p50': Math.round(ms), 'to the plain render': rounded(ms / plain) }];
    }),
  ),
);
const ratioOf = (index: number) => median(times[index] ?? []) / plain;
const goals: Goal[] = [
  { name: 'a click, p50 ms', value: median(clicks), atMost: 40 },
  { name: `${STEPS} steps with their page, p50 ms`, value: median(times[1] ?? []), atMost: 500 },
  { name: 'screenshot of the viewport, to the plain render', value: ratioOf(2), atMost: 2 },
  {
    name: 'screenshot of the full page, to the plain render and the picture by raw Puppeteer',
    value: ratioOf(3) / (1 + ratioOf(5)),
    atMost: 1.5,
  },
];
for (const goal of goals) console.log(goalLine(goal));
if (!goals.every(isMet)) process.exitCode = 1;
