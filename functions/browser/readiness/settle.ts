import type { CDPSession } from 'puppeteer-core';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import { isAwake } from './is-awake.ts';
import { BUDGET_MS, CLOCK_STEP_MS, paceOf } from './pace-of.ts';
import { FRAME_MS, pageFrames } from '../clock/page-frames.ts';
import type { Settling } from './settling.ts';
import { tick } from './tick.ts';
import { watchQuiet } from './watch-quiet.ts';

/** The budget after work timed by the wall clock, such as a worker's: its results come soon. */
const SEQUEL_MS = 2_000;
const MAX_MS = 20_000;
/** Work timed by the wall clock that repeats, such as a stream, never rests. */
const MAX_SEQUELS = 3;

type Needs = Omit<Settling, 'frames' | 'limit'> & { session: CDPSession };

/** Until the page rests, navigates or reaches the limit. False if a script waited in a loop and was ended. */
export async function settle(needs: Needs, limit: AbortSignal): Promise<boolean> {
  try {
    await untilAborted(rest({ ...needs, limit, frames: pageFrames(needs, limit) }), limit);
    return true;
  } catch (error) {
    if (!limit.aborted) throw error;
    return isAwake(needs.session);
  }
}

async function rest(it: Settling): Promise<void> {
  const { clock, activity, reader, limit, frames } = it;
  const documents = activity.documents();
  const hasLeft = () => activity.isNavigating() || activity.documents() !== documents;
  await frames.first();
  let now = await clock.moment();
  const end = now.at + MAX_MS;
  let restAt = now.at + BUDGET_MS;
  let sequelsLeft = MAX_SEQUELS;
  let { work } = now;
  let workedAt = performance.now();
  const quiet = watchQuiet(it);
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
      now = await tick(it, now, quiet.areThreadsQuiet() ? expectedMs() : FRAME_MS);
    }
    const hasWorked = now.work > before;
    if (hasWorked) workedAt = performance.now();
    // A result that was there when the threads were last seen at rest has reached the page since.
    if (isDue) quiet.restart();
    else await quiet.look(hasWorked);
    if (!quiet.isLong() || expectedMs() > 0 || activity.news() !== news) continue;
    if (now.at < end && (await clock.unnoticed(reader.isInTransition()))) clock.startDrawing();
    else if (now.work > work && sequelsLeft > 0) sequelsLeft -= 1;
    else if (!(await frames.isIdling(now))) return;
    restAt = now.at + SEQUEL_MS;
  }
}
