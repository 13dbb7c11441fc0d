import { setTimeout } from 'node:timers/promises';
import type { Tab } from '../tab.ts';

const FRAME_MS = 16;
/** The longest wait for a frame or tick. */
const PATIENCE_MS = 250;
/** Page time to skip when only streams are open: a fetch begun within it does not stop the clock. */
const BACKGROUND_STEP_MS = 1_000;
const TOLERANCE_MS = 0.5;
/** Tasks that may run before the clock moves on, so that endless tasks do not stop it. */
const MAX_TASKS_PER_TICK = 1_000;

export type Moment = {
  at: number;
  scripts: number;
};

/** Runs time as fast as the page's work allows, and draws frames on request. https://chromedevtools.github.io/devtools-protocol/tot/Emulation/#method-setVirtualTimePolicy */
export type PageClock = {
  moment: () => Promise<Moment>;
  frame: () => Promise<void>;
  /** Draws frames from now on, which is slow but needed by view transitions. */
  startDrawing: () => void;
  /** Runs clock and frames at wall-clock pace until the work is done. */
  during: <T>(work: Promise<T>) => Promise<T>;
  /** Skips page time, at wall-clock pace while `isHeld`. */
  skip: (from: Moment, ms: number, isHeld: () => boolean, signal: AbortSignal) => Promise<Moment>;
};

type Policy = 'advance' | 'pauseIfNetworkFetchesPending';

export function pageClock({ session: page }: Pick<Tab, 'session'>, isFlowing: () => boolean): PageClock {
  let isVirtual = false;
  let isDrawn = false;
  let drawing: Promise<unknown> | undefined;
  let held: { at: number; wall: number } | undefined;

  async function moment(): Promise<Moment> {
    const { metrics } = await page.send('Performance.getMetrics');
    const valueOf = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? 0;
    return { at: valueOf('Timestamp') * 1_000, scripts: valueOf('ScriptDuration') };
  }

  /** Runs the clock to a time within a wall-clock limit; returns the time it reached. */
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
        // A replaced budget still expires at its own time and stops the clock.
        at = now.at;
      }
    } finally {
      page.off('Emulation.virtualTimeBudgetExpired', expire);
    }
  }

  async function frame(): Promise<void> {
    if (isFlowing()) return;
    // Chromium rejects a second frame while one is being drawn.
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
          // Chromium also waits for streams and pings. A page's own fetch timeout must still expire.
          held = isHeld() ? (held ?? { at, wall }) : undefined;
          const next = held ? held.at + performance.now() - held.wall : now.at + BACKGROUND_STEP_MS;
          now = await run('advance', now.at, Math.min(end, Math.max(next, now.at + FRAME_MS)), PATIENCE_MS);
        }
      }
      return now;
    },
  };
}
