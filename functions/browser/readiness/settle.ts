import { setTimeout } from 'node:timers/promises';
import type { RenderWaiting } from '../../../shared/contract/scrape/page.ts';
import { deadline } from '../../../shared/time/deadline.ts';
import { firstAborted } from '../../../shared/time/first-aborted.ts';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import type { Moment, PageClock } from '../clock/page-clock.ts';
import { FRAME_MS, type PageFrames, pageFrames } from '../clock/page-frames.ts';
import { skipInSteps } from '../clock/skip-in-steps.ts';
import type { DocumentReader } from '../page/document-reader.ts';
import type { Tab } from '../page/tab.ts';
import { judgeBegunBodies } from './begun-bodies.ts';
import { type Busy, busyThreads } from './busy-threads.ts';
import { isResponsive } from './is-responsive.ts';
import { type Observation, UNKNOWN } from './observation.ts';
import { LOADING, TIMEOUT_MS, type Readiness, started } from './readiness.ts';
import type { TimelyRequests } from './timely-requests.ts';
import { transition } from './transitions.ts';
import type { Activity } from './watch-activity.ts';

/** Between two looks at a document that loads. */
const LOOK_MS = 100;

export type LoadedPage = {
  clock: PageClock;
  requests: Pick<TimelyRequests, 'begin' | 'end'>;
  activity: Activity;
  reader: DocumentReader;
  browser: { pid: number; tab: Tab };
};

/** `waitsFor`: what a page that still waits for its content has open. */
export type Settled = { isWhole: boolean; waitsFor?: RenderWaiting | undefined };

/** Until the page is idle, navigates or exceeds its patience. */
export async function settle(page: LoadedPage, signal: AbortSignal): Promise<Settled> {
  const begunAt = performance.now();
  const { state } = await load(page, signal);
  if (state === 'idle') return { isWhole: true };
  const { activity } = page;
  const waitingMs = TIMEOUT_MS.waiting - (performance.now() - begunAt);
  const leastMs = activity.isLoaded() ? TIMEOUT_MS.settling : TIMEOUT_MS.abandoned;
  using limit = patientLimit(activity, Math.max(leastMs, waitingMs), signal);
  const isResponsive = await settleWithin(page, limit.signal).finally(page.requests.end);
  signal.throwIfAborted();
  const waitsFor = activity.patience.shows() === 'waiting' ? activity.opens() : activity.lacks();
  return { isWhole: isResponsive && waitsFor === undefined, waitsFor };
}

/** A page that still waits for its content gets more time than any other. */
function patientLimit(activity: Activity, waitingMs: number, signal: AbortSignal) {
  const limit = deadline(waitingMs, signal);
  const ended = new AbortController();
  const end = () =>
    activity.patience.shows() === 'waiting' || activity.isWriting() ? undefined : ended.abort();
  setTimeout(TIMEOUT_MS.settling, undefined, { signal: limit.signal, ref: false }).then(end, end);
  return { signal: firstAborted(limit.signal, ended.signal), [Symbol.dispose]: limit[Symbol.dispose] };
}

/** Still `loading` if the document has not loaded in time. */
async function load(page: LoadedPage, signal: AbortSignal): Promise<Readiness> {
  const { clock, activity, reader } = page;
  using limit = deadline(TIMEOUT_MS.loading, signal);
  let readiness = LOADING;
  while (readiness.state === 'loading' && !limit.signal.aborted) {
    await clock.during(untilLoaded(activity, limit.signal));
    const isLoaded = activity.isLoaded();
    const isStatic = isLoaded && (await untilAborted(reader.isStatic(), signal));
    const isAbandoned = await untilAborted(hasBeenAbandoned(page), signal);
    readiness = transition(readiness, { ...UNKNOWN, isLoaded, isAbandoned, isStatic });
  }
  signal.throwIfAborted();
  return readiness;
}

/** A style sheet that never comes keeps a document from being parsed, which may be there all the same. */
async function hasBeenAbandoned({ activity, reader }: LoadedPage): Promise<boolean> {
  if (activity.isLoaded() || !activity.isAbandoned('showing')) return false;
  const { shows } = await reader.screen();
  return activity.isAbandoned(shows) && (activity.isParsed() || shows === 'showing');
}

/** Or for a while: no event reports that nobody sends any more. */
async function untilLoaded(activity: Activity, signal: AbortSignal): Promise<void> {
  using soon = deadline(LOOK_MS, signal);
  await activity.until(activity.isLoaded, soon.signal).catch(() => undefined);
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
  // The server may serve it only in time.
  if (activity.reloads() > 0) await page.requests.begin();
  await frames.first();
  let [now, workedAt] = [await clock.moment(), performance.now()];
  clock.compare();
  const observed = (more: Partial<Observation>): Observation => ({
    ...UNKNOWN,
    ...networkOf(activity, performance.now() - workedAt),
    hasLeft: activity.isNavigating() || activity.documents() !== documents,
    wall: performance.now(),
    ...now,
    ...more,
  });
  const begun = observed({ threads: threadsNow() });
  let readiness = transition(started(begun), begun);
  while (readiness.state !== 'idle' && !limit.aborted) {
    const { moment, ...more } = await turn(readiness, now, workedAt);
    if (moment.work > now.work) workedAt = performance.now();
    now = moment;
    const { isPainted } = readiness;
    readiness = transition(readiness, observed(more));
    if (readiness.isDrawn) clock.startDrawing();
    if (readiness.isPainted && !isPainted) await paint(clock);
  }
}

/** What follows a paint would have come at once, so the page time skipped before it does not count. */
async function paint(clock: PageClock): Promise<void> {
  await clock.frame(true);
  clock.compare();
}

const networkOf = (activity: Activity, stillMs: number) => ({
  isLoaded: activity.isLoaded(),
  respondedUrls: activity.respondedUrls(),
  isFetching: activity.isFetching(),
  isHeadMissing: activity.isHeadMissing(),
  isPolling: activity.isPolling(),
  isAnswered: activity.answers.areDue(),
  silentMs: activity.silentMs(),
  expectedMs: activity.expectedMs(stillMs),
  liveMs: activity.liveMs(stillMs),
  isShown: activity.patience.isOver(),
});

type Turn = { moment: Moment } & Partial<Observation>;

/** Each call turns the page's clock once, and polls what no event reports. */
function turnsOf(page: LoadedPage, frames: PageFrames, threadsNow: () => Busy, limit: AbortSignal) {
  const { clock, activity, reader, browser } = page;
  const isLive = () => activity.answers.arePending() || (activity.isLive() && !activity.patience.isOver());
  const skip = skipInSteps({ clock, activity: { ...activity, isLive }, reader, frames, limit });
  let threads: Busy = 'none';
  return async (readiness: Readiness, from: Moment, workedAt: number): Promise<Turn> => {
    if (readiness.clock === 'skip') {
      if (activity.patience.shows() === 'waiting') await page.requests.begin();
      const skipped = await skip(from, readiness.restAt);
      const seen = threadsNow();
      threads = seen === 'workers' && !activity.isLive() ? 'none' : seen;
      return { ...skipped, threads };
    }
    if (readiness.clock === 'still') {
      const { isInTransition, ...screen } = await clock.unnoticed(reader.screen());
      activity.patience.sees(screen, workedAt);
      await judgeBegunBodies(browser.tab.session, activity);
      const shows = activity.patience.shows();
      if (shows === 'waiting') await page.requests.begin();
      const isIdling = await frames.isIdling(from);
      // A page that shows its content is not painted for what only measures it.
      const mayFollowPaint =
        shows !== 'showing' ||
        (screen.isWatchingPaints && (!screen.isMeasuring || activity.patience.mayLack()));
      return { moment: from, threads, screen: { shows, isInTransition, isIdling, mayFollowPaint } };
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
