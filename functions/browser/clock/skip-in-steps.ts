import type { DocumentReader } from '../page/document-reader.ts';
import type { Moment, PageClock } from './page-clock.ts';
import { FRAME_MS, type PageFrames } from './page-frames.ts';

/** The longest step, while the page does nothing. */
const LONG_STEP_MS = 5_000;
/** Page time given back in all for delayed frames. */
const MAX_LATE_MS = 5_000;
/** Page time between two readings of a busy page. */
const STEP_MS = 500;
/** The same while a request, worker or stream is open: a step must end before the page gives it up. */
const LIVE_STEP_MS = { fetching: 100, live: 250 };
/** The same after a frame in which the page worked: what it began may need the next one. */
const FRAMED_STEP_MS = 4 * FRAME_MS;
/** Chromium stops the page's clock up to a millisecond early. */
export const CLOCK_STEP_MS = 1;

type Needs = {
  clock: PageClock;
  activity: { isFetching: () => boolean; isLive: () => boolean };
  reader: Pick<DocumentReader, 'animatedMs'>;
  frames: PageFrames;
  limit: AbortSignal;
};

type Skipped = { moment: Moment; lateMs: number };

function shortestStep({ isFetching, isLive }: Needs['activity']): number {
  if (isFetching()) return LIVE_STEP_MS.fetching;
  return isLive() ? LIVE_STEP_MS.live : Infinity;
}

/**
 * Skips page time in steps, and draws after each. A step is long while the page does nothing, and ends with
 * an animation. `lateMs`: the delay of frames against the page's requests, which leaves less time for what
 * they begin.
 */
export function skipInSteps({ clock, activity, reader, frames, limit }: Needs) {
  let step = STEP_MS;
  let longestStep = LONG_STEP_MS;
  let lateLeftMs = MAX_LATE_MS;
  return async (from: Moment, restAt: number): Promise<Skipped> => {
    const shortest = shortestStep(activity);
    const isLong = step > STEP_MS && shortest === Infinity;
    const most = isLong
      ? Math.min(step, CLOCK_STEP_MS + (await clock.unnoticed(reader.animatedMs())))
      : Math.min(step, STEP_MS);
    const to = Math.min(most, shortest, restAt - from.at);
    const skipped = await clock.skip(from, to, activity.isFetching, limit);
    const { now: moment, isFramed } = await frames.draw(skipped);
    const hasWorked = moment.work > from.work;
    const ms = moment.at - from.at;
    if (isFramed) step = FRAMED_STEP_MS;
    else step = hasWorked || step < STEP_MS ? STEP_MS : longestStep;
    // Frames that the page requested in a long step are missing, so no step is long from now on.
    if (isLong && hasWorked) {
      longestStep = STEP_MS;
      return { moment, lateMs: ms };
    }
    const lateMs = isFramed ? Math.min(ms, lateLeftMs) : 0;
    lateLeftMs -= lateMs;
    return { moment, lateMs };
  };
}
