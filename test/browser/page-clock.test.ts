import { afterAll, beforeEach, expect, inject, test } from 'vitest';
import { launchChromium } from '../../functions/browser/launch/launch-chromium.ts';
import { documentReader } from '../../functions/browser/page/document-reader.ts';
import { pageClock } from '../../functions/browser/clock/page-clock.ts';
import { pageFrames } from '../../functions/browser/clock/page-frames.ts';
import { unpackChromium } from '../../infra/constructs/unpack-chromium.ts';

const NO_PROXY = 'http://127.0.0.1:1';
const chromium = await launchChromium({
  chromiumDir: await unpackChromium(),
  proxyUrl: NO_PROXY,
  processes: inject('processes'),
});
afterAll(() => chromium.kill());
const { session } = chromium.tab;
const clock = pageClock(chromium.tab, { mayDraw: () => true, isPoolBusy: () => false });
clock.startDrawing();

async function run<T>(expression: string): Promise<T> {
  const { result } = await session.send('Runtime.evaluate', { expression, returnByValue: true });
  return result.value as T;
}
const skip = async (ms: number) =>
  clock.skip(await clock.moment(), ms, () => false, AbortSignal.timeout(10_000));

beforeEach(async () => {
  await run(`document.body.innerHTML = '<p style="height: 9000px">Tall</p>'; scrollTo(0, 0)`);
  await skip(20);
  await clock.frame();
});

test('draws frames one after another while the clock of the page stands still', async () => {
  await run(`drawn = []; next = (at) => { drawn.push(at); requestAnimationFrame(next) }; next(0)`);
  let times: number[] = [];
  // A frame that takes longer than the clock's patience is one with the next.
  while (times.length < 20) {
    await clock.frame();
    times = await run('drawn.slice(1)');
  }
  expect(new Set(times).size).toBe(times.length);
  expect(Math.max(...times) - Math.min(...times)).toBeLessThan(10);
});

test('a frame shows what the page did since the frame that is still being drawn', async () => {
  // The page gets the scroll event of a frame's script in the next frame.
  await run(`scrolls = 0; onscroll = () => { scrolls += 1 }; requestAnimationFrame(() => scrollTo(0, 100))`);
  await Promise.all([clock.frame(), clock.frame()]);
  // The second one may take longer than the clock's patience.
  await expect.poll(() => run('scrolls')).toBe(1);
});

test('a page gets its first frame before anything is drawn', async () => {
  const reader = documentReader(chromium.tab, { on: () => undefined });
  const activity = { isFetching: () => false };
  const { first } = pageFrames({ clock, activity, reader }, AbortSignal.timeout(10_000));
  await run(`framed = 0; requestAnimationFrame(() => { framed += 1 })`);
  await first();
  expect(await run('framed')).toBe(1);
});

test('the clock ticks until the last of several works has ended, and again for the next one', async () => {
  await run(`ticked = 0; setInterval(() => { ticked += 1 }, 10)`);
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<undefined>());
  const works = gates.map(({ promise }) => clock.during(promise));
  for (const { resolve } of gates) {
    const before = await run<number>('ticked');
    await expect.poll(() => run('ticked')).toBeGreaterThan(before + 3);
    resolve(undefined);
  }
  await Promise.all(works);
  const before = await run<number>('ticked');
  await clock.during(expect.poll(() => run('ticked')).toBeGreaterThan(before + 3));
});
