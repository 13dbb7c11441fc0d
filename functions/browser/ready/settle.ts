import { setTimeout } from 'node:timers/promises';
import { untilAborted } from '../../../shared/until-aborted.ts';
import { hasBusyThreads } from './busy-threads.ts';
import type { Moment, PageClock } from './page-clock.ts';
import type { Activity } from './watch-activity.ts';

/** Of the page's own time: no timer due within it, and the page has nothing more to show. */
const BUDGET_MS = 5_000;
/** After work that the wall clock has timed, such as a worker's: what follows it comes soon. */
const SEQUEL_MS = 2_000;
/** Of the page's own time, whatever it finds to do. */
const MOST_MS = 20_000;
/** Page time between two looks at a page that is at work. */
const STEP_MS = 500;
const FRAME_MS = 16;
/** Frames for a page that draws in each of them: two seconds of an animation. */
const MAX_FRAMES = 120;
/** A script that runs for so long when time is up is ended, so that the page can be read. */
const HUNG_MS = 500;

type Needs = { clock: PageClock; activity: Activity; pid: number; terminate: () => Promise<unknown> };

/**
 * Runs a loaded page's clock ahead until it has come to rest: no request in flight, no timer due within the next seconds,
 * no frame, worker, picture or cryptography at work. Returns early when the page moves to another document, and at the
 * latest when the limit aborts. What wakes again and again never rests.
 */
export async function settle({ clock, activity, pid, terminate }: Needs, limit: AbortSignal): Promise<void> {
  const isHeld = activity.isFetching;
  let framesLeft = MAX_FRAMES;

  /** Frames until the page does nothing in one; two at least, as what the first one lays out the second one sees. */
  async function draw(from: Moment): Promise<Moment> {
    let last = from;
    for (let frames = 1; framesLeft > 0 && !limit.aborted; frames += 1) {
      await clock.skip(last, FRAME_MS, isHeld, limit);
      await clock.frame();
      const next = await clock.moment();
      const isStill = next.scripts === last.scripts;
      last = next;
      if (frames > 2) framesLeft -= 1;
      if (isHeld() || (frames > 1 && isStill)) break;
    }
    return last;
  }

  async function rest(): Promise<void> {
    const documents = activity.documents();
    const hasLeft = () => activity.isNavigating() || activity.documents() !== documents;
    let now = await clock.moment();
    const end = now.at + MOST_MS;
    let restAt = now.at + BUDGET_MS;
    let { scripts } = now;
    let workedAt = performance.now();
    let news = activity.news();
    let step = STEP_MS;
    while (!limit.aborted && !hasLeft()) {
      if (activity.news() !== news) restAt = now.at + BUDGET_MS;
      else if (now.at >= restAt && now.scripts > scripts) restAt = now.at + SEQUEL_MS;
      restAt = Math.min(restAt, end);
      news = activity.news();
      if (now.scripts > scripts) workedAt = performance.now();
      scripts = now.scripts;
      if (now.at < restAt) {
        await clock.skip(now, Math.min(step, restAt - now.at), isHeld, limit);
        now = await draw(await clock.moment());
        // A page that does nothing is looked at no more often than need be.
        step = now.scripts === scripts ? BUDGET_MS : STEP_MS;
        if (now.scripts > scripts) workedAt = performance.now();
        scripts = now.scripts;
      } else if (activity.isExpecting(performance.now() - workedAt) || (await hasBusyThreads(pid))) {
        await clock.during(setTimeout(FRAME_MS));
        now = await clock.moment();
      } else return;
    }
  }
  try {
    await untilAborted(rest(), limit);
  } catch (error) {
    if (!limit.aborted) throw error;
    const isAwake = await Promise.race([clock.moment(), setTimeout(HUNG_MS)]);
    if (!isAwake) await terminate();
  }
}
