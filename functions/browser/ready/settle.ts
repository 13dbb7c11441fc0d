import { setTimeout } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer-core';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import { hasBusyThreads } from './busy-threads.ts';
import type { DocumentReader } from './document-reader.ts';
import type { Moment, PageClock } from './page-clock.ts';
import type { Activity } from './watch-activity.ts';

/** Of the page's own time: no timer due within it, and the page has nothing more to show. */
const BUDGET_MS = 5_000;
/** After work that the wall clock has timed, such as a worker's: what follows it comes soon. */
const SEQUEL_MS = 2_000;
/** Of the page's own time, whatever it finds to do. */
const MOST_MS = 20_000;
/** A stream or a worker that brings something again and again never rests. */
const MAX_SEQUELS = 3;
/** Page time between two looks at a page that is at work. */
const STEP_MS = 500;
const FRAME_MS = 16;
/** Chromium stops the page's clock up to a millisecond early. */
const CLOCK_STEP_MS = 1;
/** Frames for a page that draws in each of them: two seconds of an animation. */
const MAX_FRAMES = 120;
/** A script that runs for so long when time is up is ended, so that the page can be read. */
const HUNG_MS = 500;

type Needs = {
  clock: PageClock;
  activity: Activity;
  reader: Pick<DocumentReader, 'isInTransition'>;
  pid: number;
  session: CDPSession;
};

/**
 * Runs a loaded page's clock ahead until it has come to rest: no request in flight, no timer due within the next seconds,
 * no frame, worker, picture or cryptography at work. Returns early when the page moves to another document, and at the
 * latest when the limit aborts. What wakes again and again never rests. False if a script had to be ended for that: one
 * that waits in a loop for the clock waits for ever, as time stands still while it runs.
 */
export async function settle(
  { clock, activity, reader, pid, session }: Needs,
  limit: AbortSignal,
): Promise<boolean> {
  const isHeld = activity.isFetching;
  let framesLeft = MAX_FRAMES;

  /** Frames until the page does nothing in one; two at least, as what the first one lays out the second one sees. */
  async function draw(from: Moment): Promise<Moment> {
    await clock.frame();
    await clock.frame();
    let [last, next] = [from, await clock.moment()];
    while (next.scripts > last.scripts && framesLeft > 0 && !isHeld() && !limit.aborted) {
      last = await clock.skip(next, FRAME_MS, isHeld, limit);
      await clock.frame();
      next = await clock.moment();
      framesLeft -= 1;
    }
    return next;
  }

  /** What is timed by the wall clock: a tick of it, in which the page hears of what others have done meanwhile. */
  async function tick(ms: number): Promise<Moment> {
    await clock.during(setTimeout(Math.min(FRAME_MS, ms)));
    return clock.moment();
  }

  async function rest(): Promise<void> {
    const documents = activity.documents();
    const hasLeft = () => activity.isNavigating() || activity.documents() !== documents;
    let now = await clock.moment();
    const end = now.at + MOST_MS;
    let restAt = now.at + BUDGET_MS;
    let sequelsLeft = MAX_SEQUELS;
    let { scripts } = now;
    let workedAt = performance.now();
    const expectedMs = () => activity.expectedMs(performance.now() - workedAt);
    let news = activity.news();
    let step = STEP_MS;
    while (!limit.aborted && !hasLeft()) {
      if (activity.news() !== news) restAt = now.at + BUDGET_MS;
      news = activity.news();
      const before = now.scripts;
      const isDue = now.at + CLOCK_STEP_MS < Math.min(restAt, end);
      if (isDue) {
        now = await draw(await clock.skip(now, Math.min(step, restAt - now.at), isHeld, limit));
        // A page that does nothing is looked at no more often than need be.
        step = now.scripts === before ? BUDGET_MS : STEP_MS;
        scripts = now.scripts;
      } else now = await tick(expectedMs() || FRAME_MS);
      const hasWorked = now.scripts > before;
      if (hasWorked) workedAt = performance.now();
      if (isDue || hasWorked || expectedMs() > 0) continue;
      // A request may have ended in this very tick.
      if (activity.news() !== news || hasBusyThreads(pid)) continue;
      if (now.at < end && (await reader.isInTransition())) clock.startDrawing();
      else if (now.scripts === scripts || sequelsLeft === 0) return;
      else sequelsLeft -= 1;
      restAt = now.at + SEQUEL_MS;
    }
  }
  try {
    await untilAborted(rest(), limit);
  } catch (error) {
    if (!limit.aborted) throw error;
    // Answered between two tasks only: `Performance.getMetrics` would interrupt a script that hangs.
    const isAwake = await Promise.race([session.send('Runtime.getIsolateId'), setTimeout(HUNG_MS)]);
    if (isAwake) return true;
    await Promise.all([
      session.send('Emulation.setVirtualTimePolicy', { policy: 'pause' }),
      session.send('Runtime.terminateExecution'),
    ]);
    return false;
  }
  return true;
}
