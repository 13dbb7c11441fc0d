import type { Moment } from '../clock/page-clock.ts';
import { FRAME_MS } from '../clock/page-frames.ts';
import type { Settling } from './settling.ts';

/** Page time without a timer, after which the page has nothing more to show. */
export const BUDGET_MS = 5_000;
/** Page time given back in all, because frames came later than the page asked for them. */
const MAX_LATE_MS = 5_000;
/** Page time between two looks at a busy page. */
const STEP_MS = 500;
/** The same after a frame in which the page worked: what it began may need the next one. */
const FRAMED_STEP_MS = 4 * FRAME_MS;
/** Chromium stops the page's clock up to a millisecond early. */
export const CLOCK_STEP_MS = 1;

type Skipped = { now: Moment; lateMs: number };

/**
 * Skips page time in steps, and draws after each. A step is long while the page does nothing, and ends with
 * an animation. `lateMs`: frames came later than the page asked for them, so what they begin has less time.
 */
export function paceOf({ clock, activity, reader, limit, frames }: Settling): {
  skip: (from: Moment, restAt: number) => Promise<Skipped>;
} {
  let step = STEP_MS;
  let longestStep = BUDGET_MS;
  let lateLeftMs = MAX_LATE_MS;
  return {
    async skip(from, restAt) {
      const isLong = step > STEP_MS;
      const most = isLong
        ? Math.min(step, CLOCK_STEP_MS + (await clock.unnoticed(reader.animatedMs())))
        : step;
      const to = Math.min(most, restAt - from.at);
      const skipped = await clock.skip(from, to, activity.isFetching, limit);
      const { now, isFramed } = await frames.draw(skipped);
      const hasWorked = now.work > from.work;
      const ms = now.at - from.at;
      if (isFramed) step = FRAMED_STEP_MS;
      else step = hasWorked || step < STEP_MS ? STEP_MS : longestStep;
      // What the page did in a long step may have asked for frames that it did not get. It is the last one.
      if (isLong && hasWorked) {
        longestStep = STEP_MS;
        return { now, lateMs: ms };
      }
      const lateMs = isFramed ? Math.min(ms, lateLeftMs) : 0;
      lateLeftMs -= lateMs;
      return { now, lateMs };
    },
  };
}
