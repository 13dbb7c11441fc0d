import { setTimeout } from 'node:timers/promises';
import { deadline } from '../../../shared/time/deadline.ts';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import type { Moment, PageClock } from '../clock/page-clock.ts';
import { FRAME_MS, type PageFrames, pageFrames } from '../clock/page-frames.ts';
import { skipInSteps } from '../clock/skip-in-steps.ts';
import type { DocumentReader } from '../page/document-reader.ts';
import type { Tab } from '../page/tab.ts';
import { type Busy, busyThreads } from './busy-threads.ts';
import { isResponsive } from './is-responsive.ts';
import { type Observation, UNKNOWN } from './observation.ts';
import { LOADING, TIMEOUT_MS, type Readiness, started, transition } from './transitions.ts';
import type { Activity } from './watch-activity.ts';

export type LoadedPage = {
  clock: PageClock;
  activity: Activity;
  reader: DocumentReader;
  browser: { pid: number; tab: Tab };
};

/** Until the page is idle, navigates or exceeds its patience. False if something of it is missing. */
export async function settle(page: LoadedPage, signal: AbortSignal): Promise<boolean> {
  const { state } = await load(page, signal);
  if (state === 'idle') return true;
  using limit = deadline(TIMEOUT_MS.settling, signal);
  const isWhole = await settleWithin(page, limit.signal);
  signal.throwIfAborted();
  return state !== 'loading' && isWhole && !page.activity.isUnanswered();
}

/** Still `loading` if the document has not loaded in time. */
async function load({ clock, activity, reader }: LoadedPage, signal: AbortSignal): Promise<Readiness> {
  using limit = deadline(TIMEOUT_MS.loading, signal);
  let readiness = LOADING;
  try {
    while (readiness.state === 'loading') {
      await clock.during(activity.until(activity.isLoaded, limit.signal));
      const isStatic = await untilAborted(reader.isStatic(), signal);
      readiness = transition(readiness, { ...UNKNOWN, isLoaded: activity.isLoaded(), isStatic });
    }
  } catch (error) {
    if (!limit.signal.aborted || signal.aborted) throw error;
  }
  return readiness;
}

/** False if a script ran in a loop and was ended. */
async function settleWithin(page: LoadedPage, limit: AbortSignal): Promise<boolean> {
  try {
    await untilAborted(untilIdle(page, limit), limit);
    return true;
  } catch (error) {
    if (!limit.aborted) throw error;
    return isResponsive(page.browser.tab.session);
  }
}

async function untilIdle(page: LoadedPage, limit: AbortSignal): Promise<void> {
  const { clock, activity } = page;
  const documents = activity.documents();
  const frames = pageFrames(page, limit);
  const threadsNow = busyThreads(page.browser.pid);
  const turn = turnsOf(page, frames, threadsNow, limit);
  threadsNow();
  await frames.first();
  let now = await clock.moment();
  let workedAt = performance.now();
  const observed = (more: Partial<Observation>): Observation => ({
    ...UNKNOWN,
    isLoaded: activity.isLoaded(),
    hasLeft: activity.isNavigating() || activity.documents() !== documents,
    respondedUrls: activity.respondedUrls(),
    expectedMs: activity.expectedMs(performance.now() - workedAt),
    ...now,
    ...more,
  });
  const begun = observed({ threads: threadsNow() });
  let readiness = transition(started(begun), begun);
  while (readiness.state !== 'idle' && !limit.aborted) {
    const { moment, ...more } = await turn(readiness, now);
    if (moment.work > now.work) workedAt = performance.now();
    now = moment;
    readiness = transition(readiness, observed(more));
    if (readiness.isDrawn) clock.startDrawing();
  }
}

type Turn = { moment: Moment } & Partial<Observation>;

/** Each call turns the page's clock once, and polls what no event reports. */
function turnsOf(page: LoadedPage, frames: PageFrames, threadsNow: () => Busy, limit: AbortSignal) {
  const { clock, activity, reader, browser } = page;
  const skip = skipInSteps({ clock, activity, reader, frames, limit });
  let threads: Busy = 'none';
  return async (readiness: Readiness, from: Moment): Promise<Turn> => {
    if (readiness.clock === 'skip') {
      const skipped = await skip(from, readiness.restAt);
      threads = threadsNow() === 'pool' ? 'pool' : 'none';
      return { ...skipped, threads };
    }
    if (readiness.clock === 'still') {
      const isInTransition = await clock.unnoticed(reader.isInTransition());
      return { moment: from, threads, screen: { isInTransition, isIdling: await frames.isIdling(from) } };
    }
    const moment = await tick({ clock, activity, frames, limit }, from, readiness.tickMs);
    threads = threadsNow();
    if (threads !== 'workers' && (await browser.tab.workers.areBusy())) threads = 'workers';
    return { moment, threads };
  };
}

type Ticking = Pick<LoadedPage, 'clock' | 'activity'> & { frames: PageFrames; limit: AbortSignal };

/** Runs what is due: at wall-clock pace for `ms`, if any. A page that draws for ever gets no frame here. */
async function tick({ clock, activity, frames, limit }: Ticking, from: Moment, ms: number): Promise<Moment> {
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
