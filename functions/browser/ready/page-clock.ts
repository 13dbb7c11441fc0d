import { setTimeout } from 'node:timers/promises';
import type { Tab } from '../tab.ts';

/** As a screen of 60 Hz. */
const FRAME_MS = 16;
/** A frame or a tick that the page has no time for is not waited for any longer. */
const PATIENCE_MS = 250;
/** Page time that goes by at once where nothing but streams is open: a fetch that begins in it stops it no more. */
const BACKGROUND_STEP_MS = 1_000;
const TOLERANCE_MS = 0.5;
/** Tasks that may run before the clock moves on even so: a page that posts tasks for ever must not stop its own clock. */
const MAX_TASKS_PER_TICK = 1_000;

/** What a page has done by now, by its own clock. */
export type Moment = {
  /** Milliseconds of the page's clock. */
  at: number;
  /** Seconds that its scripts have run for. */
  scripts: number;
};

/**
 * A page's clock and its frames, both in our hands: Chromium lets a page's time run as fast as the page's work allows,
 * and draws a frame only when it is told to.
 * https://chromedevtools.github.io/devtools-protocol/tot/Emulation/#method-setVirtualTimePolicy
 * https://chromedevtools.github.io/devtools-protocol/tot/HeadlessExperimental/#method-beginFrame
 */
export type PageClock = {
  moment: () => Promise<Moment>;
  /** Runs animation frame callbacks, observers of size and sight, and animations. */
  frame: () => Promise<void>;
  /** From now on frames are drawn too, which takes long: only what is drawn can pass from one view to another. */
  startDrawing: () => void;
  /** Keeps clock and frames going at the pace of the wall clock until the work is done. */
  during: <T>(work: Promise<T>) => Promise<T>;
  /** Lets so many milliseconds go by as fast as can be; while something `isHeld` up, at the pace of the wall clock. */
  skip: (from: Moment, ms: number, isHeld: () => boolean, signal: AbortSignal) => Promise<Moment>;
};

type Policy = 'advance' | 'pauseIfNetworkFetchesPending';

export function pageClock({ session: page }: Pick<Tab, 'session'>, isFlowing: () => boolean): PageClock {
  let isVirtual = false;
  let isDrawn = false;
  let drawing: Promise<unknown> | undefined;
  /** Since when the page's clock goes by the wall's. */
  let held: { at: number; wall: number } | undefined;

  async function moment(): Promise<Moment> {
    const { metrics } = await page.send('Performance.getMetrics');
    const valueOf = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? 0;
    return { at: valueOf('Timestamp') * 1_000, scripts: valueOf('ScriptDuration') };
  }

  /** Lets the clock run from one time to another, for so long by the wall clock. Gives the time that it has come to. */
  async function run(policy: Policy, from: number, to: number, patienceMs: number): Promise<Moment> {
    isVirtual = true;
    const over = AbortSignal.timeout(patienceMs);
    let expired = Promise.withResolvers<undefined>();
    const expire = () => expired.resolve(undefined);
    page.on('Emulation.virtualTimeBudgetExpired', expire);
    over.addEventListener('abort', () => expired.resolve(undefined));
    try {
      for (let at = from; ;) {
        await page.send('Emulation.setVirtualTimePolicy', {
          policy,
          budget: to - at,
          maxVirtualTimeTaskStarvationCount: MAX_TASKS_PER_TICK,
        });
        await expired.promise;
        expired = Promise.withResolvers();
        const now = await moment();
        if (over.aborted || now.at >= to - TOLERANCE_MS) return now;
        // A budget that this one has replaced expires all the same, at its own time, and stops the clock.
        at = now.at;
      }
    } finally {
      page.off('Emulation.virtualTimeBudgetExpired', expire);
    }
  }

  async function frame(): Promise<void> {
    if (isFlowing()) return;
    // One at a time: Chromium refuses another one before.
    drawing ??= page
      .send('HeadlessExperimental.beginFrame', { noDisplayUpdates: !isDrawn })
      .catch(() => undefined)
      .finally(() => (drawing = undefined));
    await Promise.race([drawing, setTimeout(PATIENCE_MS, undefined, { ref: false })]);
  }

  async function tick(): Promise<void> {
    const startedAt = performance.now();
    if (isVirtual) {
      const { at } = await moment();
      await run('advance', at, at + FRAME_MS, PATIENCE_MS);
    }
    await frame();
    const left = FRAME_MS - (performance.now() - startedAt);
    if (left > 0) await setTimeout(left);
  }

  return {
    moment,
    frame,
    startDrawing: () => (isDrawn = true),
    async during(work) {
      const done = new AbortController();
      const end = () => done.abort();
      work.then(end, end);
      while (!page.detached && !done.signal.aborted) await Promise.race([tick(), work]);
      return work;
    },
    async skip(from, ms, isHeld, signal) {
      const end = from.at + ms;
      let now = from;
      while (now.at < end - TOLERANCE_MS && !signal.aborted) {
        const wall = performance.now();
        const { at } = now;
        now = await run('pauseIfNetworkFetchesPending', at, end, FRAME_MS);
        if (now.at >= end - TOLERANCE_MS) held = undefined;
        else {
          await frame();
          // Chromium waits for streams and pings too, which the page does not. And a page that gives up on a fetch by a
          // timer of its own has to see it expire.
          held = isHeld() ? (held ?? { at, wall }) : undefined;
          const next = held ? held.at + performance.now() - held.wall : now.at + BACKGROUND_STEP_MS;
          now = await run('advance', now.at, Math.min(end, Math.max(next, now.at + FRAME_MS)), PATIENCE_MS);
        }
      }
      return now;
    },
  };
}
