import { setTimeout } from 'node:timers/promises';
import type { CDPSession } from 'puppeteer-core';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import { hasBusyThreads } from './busy-threads.ts';
import type { DocumentReader } from './document-reader.ts';
import type { PageClock } from './page-clock.ts';
import type { Moment } from './virtual-time.ts';
import type { Activity } from './watch-activity.ts';

/** Page time without a timer, after which the page has nothing more to show. */
const BUDGET_MS = 5_000;
/** The same after work timed by the wall clock, such as a worker's: its results come soon. */
const SEQUEL_MS = 2_000;
const MOST_MS = 20_000;
/** Work timed by the wall clock that repeats, such as a stream, never rests. */
const MAX_SEQUELS = 3;
/** Page time between two looks at a busy page. */
const STEP_MS = 500;
const FRAME_MS = 16;
/** Chromium stops the page's clock up to a millisecond early. */
const CLOCK_STEP_MS = 1;
const MAX_FRAMES = 120;
/** A script that runs longer than this at the end is terminated, so that the page can be read. */
const HUNG_MS = 500;

type Needs = {
  clock: PageClock;
  activity: Activity;
  reader: Pick<DocumentReader, 'isInTransition'>;
  pid: number;
  session: CDPSession;
};

type Settling = Needs & { limit: AbortSignal; framesLeft: number };

/**
 * Advances a loaded page's clock until it rests, navigates or reaches the limit. False if a script waited for
 * the clock in a loop and had to be terminated.
 */
export async function settle(needs: Needs, limit: AbortSignal): Promise<boolean> {
  try {
    await untilAborted(rest({ ...needs, limit, framesLeft: MAX_FRAMES }), limit);
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
  const { clock, activity, reader, pid, limit } = it;
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
      now = await skip(it, now, Math.min(step, restAt - now.at));
      step = now.scripts === before ? BUDGET_MS : STEP_MS;
      scripts = now.scripts;
    } else now = await tick(it, expectedMs() || FRAME_MS);
    const hasWorked = now.scripts > before;
    if (hasWorked) workedAt = performance.now();
    if (isDue || hasWorked || expectedMs() > 0) continue;
    if (activity.news() !== news || hasBusyThreads(pid)) continue;
    if (now.at < end && (await reader.isInTransition())) clock.startDrawing();
    else if (now.scripts === scripts || sequelsLeft === 0) return;
    else sequelsLeft -= 1;
    restAt = now.at + SEQUEL_MS;
  }
}

async function skip(it: Settling, from: Moment, ms: number): Promise<Moment> {
  return draw(it, await it.clock.skip(from, ms, it.activity.isFetching, it.limit));
}

/** Draws until a frame changes nothing, but at least two: the second sees the layout of the first. */
async function draw(it: Settling, from: Moment): Promise<Moment> {
  const { clock, activity, limit } = it;
  await clock.frame();
  await clock.frame();
  let [last, next] = [from, await clock.moment()];
  while (next.scripts > last.scripts && it.framesLeft > 0 && !activity.isFetching() && !limit.aborted) {
    last = await clock.skip(next, FRAME_MS, activity.isFetching, limit);
    await clock.frame();
    next = await clock.moment();
    it.framesLeft -= 1;
  }
  return next;
}

async function tick({ clock }: Settling, ms: number): Promise<Moment> {
  await clock.during(setTimeout(Math.min(FRAME_MS, ms)));
  return clock.moment();
}
