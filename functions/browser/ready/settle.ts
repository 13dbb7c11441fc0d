import { setTimeout } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer-core';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import { type Busy, busyThreads } from './busy-threads.ts';
import type { DocumentReader } from './document-reader.ts';
import type { Moment, PageClock } from './page-clock.ts';
import { FRAME_MS, type PageFrames, pageFrames } from './page-frames.ts';
import type { Activity } from './watch-activity.ts';
import type { Workers } from './watch-workers.ts';

/** Page time without a timer, after which the page has nothing more to show. */
const BUDGET_MS = 5_000;
/** The same after work timed by the wall clock, such as a worker's: its results come soon. */
const SEQUEL_MS = 2_000;
const MOST_MS = 20_000;
/** Work timed by the wall clock that repeats, such as a stream, never rests. */
const MAX_SEQUELS = 3;
/** Page time given back in all, because frames came later than the page asked for them. */
const MOST_LATE_MS = 5_000;
/** Page time between two looks at a busy page. */
const STEP_MS = 500;
/** The same after a frame in which the page worked: what it began may need the next one. */
const FRAMED_STEP_MS = 4 * FRAME_MS;
/** Chromium stops the page's clock up to a millisecond early. */
const CLOCK_STEP_MS = 1;
/** After the last script, so that a slow machine has time too. */
const QUIET_TICKS = 2;
/** The same after a worker was busy: it may wait for a timer of its own before it goes on. */
const QUIET_WORKER_TICKS = 5;
/** A script that runs longer than this at the end is terminated, so that the page can be read. */
const HUNG_MS = 500;

type Needs = {
  clock: PageClock;
  activity: Activity;
  reader: Pick<DocumentReader, 'isInTransition' | 'isIdling' | 'animatedMs' | 'framed'>;
  workers: Pick<Workers, 'areBusy'>;
  pid: number;
  session: CDPSession;
};

type Settling = Needs & { limit: AbortSignal; frames: PageFrames };

/**
 * Advances a loaded page's clock until it rests, navigates or reaches the limit. False if a script waited for
 * the clock in a loop and had to be terminated.
 */
export async function settle(needs: Needs, limit: AbortSignal): Promise<boolean> {
  try {
    await untilAborted(rest({ ...needs, limit, frames: pageFrames(needs, limit) }), limit);
    return true;
  } catch (error) {
    if (!limit.aborted) throw error;
    return isAwake(needs.session);
  }
}

/** False if a script ran in a loop and had to be terminated. */
export async function isAwake(session: CDPSession, patienceMs = HUNG_MS): Promise<boolean> {
  // A script in a loop blocks this call; `Performance.getMetrics` would interrupt it.
  const answer = await Promise.race([session.send('Runtime.getIsolateId'), setTimeout(patienceMs)]);
  if (answer) return true;
  await Promise.all([
    session.send('Emulation.setVirtualTimePolicy', { policy: 'pause' }),
    session.send('Runtime.terminateExecution'),
  ]);
  return false;
}

async function rest(it: Settling): Promise<void> {
  const { clock, activity, reader, workers, pid, limit, frames } = it;
  const documents = activity.documents();
  const hasLeft = () => activity.isNavigating() || activity.documents() !== documents;
  await frames.first();
  let now = await clock.moment();
  const end = now.at + MOST_MS;
  let restAt = now.at + BUDGET_MS;
  let sequelsLeft = MAX_SEQUELS;
  let { work } = now;
  let workedAt = performance.now();
  let ticksLeft = QUIET_TICKS;
  const threadsNow = busyThreads(pid);
  const busyNow = async (): Promise<Busy> => {
    const threads = threadsNow();
    return threads !== 'workers' && (await workers.areBusy()) ? 'workers' : threads;
  };
  let busy: Busy = 'none';
  const expectedMs = () => activity.expectedMs(performance.now() - workedAt);
  let news = activity.news();
  const pace = paceOf(it);
  while (!limit.aborted && !hasLeft()) {
    if (activity.news() !== news) restAt = now.at + BUDGET_MS;
    news = activity.news();
    const before = now.work;
    const isDue = now.at + CLOCK_STEP_MS < Math.min(restAt, end);
    if (isDue) {
      const drawn = await pace.skip(now, restAt);
      restAt += drawn.lateMs;
      now = drawn.now;
      work = now.work;
    } else {
      const areThreadsQuiet = busy === 'none' && ticksLeft <= QUIET_TICKS;
      now = await tick(it, now, areThreadsQuiet ? expectedMs() : FRAME_MS);
    }
    const hasWorked = now.work > before;
    if (hasWorked) workedAt = performance.now();
    // A result that was there when the threads were last seen at rest has reached the page since.
    busy = isDue ? 'none' : await busyNow();
    if (busy === 'workers') ticksLeft = QUIET_WORKER_TICKS;
    else if (isDue || hasWorked || busy === 'pool') ticksLeft = Math.max(ticksLeft, QUIET_TICKS);
    else ticksLeft -= 1;
    if (ticksLeft > 0 || expectedMs() > 0) continue;
    if (activity.news() !== news) continue;
    if (now.at < end && (await clock.unnoticed(reader.isInTransition()))) clock.startDrawing();
    else if (now.work > work && sequelsLeft > 0) sequelsLeft -= 1;
    else if (!(await frames.isIdling(now))) return;
    restAt = now.at + SEQUEL_MS;
  }
}

type Skipped = { now: Moment; lateMs: number };

/**
 * Skips page time in steps, and draws after each. A step is long while the page does nothing, and ends with
 * an animation. `lateMs`: frames came later than the page asked for them, so what they begin has less time.
 */
function paceOf({ clock, activity, reader, limit, frames }: Settling): {
  skip: (from: Moment, restAt: number) => Promise<Skipped>;
} {
  let step = STEP_MS;
  let longestStep = BUDGET_MS;
  let lateLeftMs = MOST_LATE_MS;
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

/** Runs what is due: at wall-clock pace for `ms`, if any. A page that draws for ever gets no frame here. */
async function tick(it: Settling, from: Moment, ms: number): Promise<Moment> {
  const { clock, activity, limit, frames } = it;
  if (ms > 0 && frames.areLeft()) {
    await clock.during(setTimeout(Math.min(FRAME_MS, ms)));
    return clock.moment();
  }
  if (ms > 0) await setTimeout(Math.min(FRAME_MS, ms));
  const now = await clock.skip(from, FRAME_MS, activity.isFetching, limit);
  if (!frames.areLeft()) return now;
  await clock.frame();
  return clock.moment();
}
