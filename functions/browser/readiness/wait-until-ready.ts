import { setTimeout } from 'node:timers/promises';
import type { RenderRequest } from '../../../shared/contract/scrape/messages.ts';
import type { RenderState } from '../../../shared/contract/scrape/page.ts';
import type { WaitUntil } from '../../../shared/contract/scrape/scrape-request.ts';
import { deadline } from '../../../shared/time/deadline.ts';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import type { Tab } from '../page/tab.ts';
import type { DocumentReader } from '../page/document-reader.ts';
import type { PageClock } from '../clock/page-clock.ts';
import { settle } from './settle.ts';
import type { Activity } from './watch-activity.ts';

/** A page that never rests is read as it is after this. */
const SETTLED_PATIENCE_MS = 5_000;
/** A load event may never fire because a third party's script or frame hangs. */
const LOAD_PATIENCE_MS = 15_000;
/** After the load event. A page that polls is never idle. */
const IDLE_PATIENCE_MS = 10_000;
const IDLE_MS = 500;

export type Waits = Pick<RenderRequest, 'waitUntil' | 'waitFor' | 'wait'>;
export type LoadedPage = {
  clock: PageClock;
  activity: Activity;
  reader: DocumentReader;
  browser: { pid: number; tab: Tab };
};

/** Starts over when the page navigates. `partial` if something is missing. Rejects when the signal aborts. */
export async function waitUntilReady(
  { waitUntil, waitFor, wait }: Waits,
  page: LoadedPage,
  signal: AbortSignal,
): Promise<RenderState> {
  const { clock, activity, reader } = page;
  const rest = restsOf(page, signal)[waitUntil];
  const isPresent = async () =>
    waitFor === undefined || (await untilAborted(reader.appeared(waitFor), signal));

  async function ready(): Promise<RenderState> {
    for (;;) {
      const before = activity.documents();
      const isAtRest = await rest();
      if (!(await clock.during(isPresent()))) continue;
      const isStaying = () => activity.documents() > before || !activity.isMoving();
      await clock.during(activity.until(isStaying, signal));
      if (activity.documents() === before) return isAtRest ? 'complete' : 'partial';
    }
  }
  const state = await ready();
  if (wait === 0) return state;
  const before = activity.documents();
  await clock.during(setTimeout(wait, undefined, { signal }));
  return activity.documents() === before && !activity.isMoving() ? state : ready();
}

/** False if the wait was given up. */
function restsOf(
  { clock, activity, reader, browser }: LoadedPage,
  signal: AbortSignal,
): Readonly<Record<WaitUntil, () => Promise<boolean>>> {
  return {
    domcontentloaded: () => clock.during(activity.until(activity.isParsed, signal)).then(() => true),
    load: () => clock.during(activity.until(activity.isLoaded, signal)).then(() => true),
    async networkidle() {
      await clock.during(activity.until(activity.isLoaded, signal));
      return within(IDLE_PATIENCE_MS, signal, (limit) => clock.during(idle(activity, limit)));
    },
    async settled() {
      const isLoaded = await within(LOAD_PATIENCE_MS, signal, (limit) =>
        clock.during(activity.until(activity.isLoaded, limit)),
      );
      if (isLoaded && (await untilAborted(reader.isStatic(), signal))) return true;
      using limit = deadline(SETTLED_PATIENCE_MS, signal);
      const { pid, tab } = browser;
      const { session, workers } = tab;
      const isWhole = await settle({ clock, activity, reader, workers, pid, session }, limit.signal);
      signal.throwIfAborted();
      return isLoaded && isWhole && !activity.isUnanswered();
    },
  };
}

/** False if `ms` are over first. Rejects as the work does, or when the signal aborts. */
async function within(
  ms: number,
  signal: AbortSignal,
  work: (limit: AbortSignal) => Promise<void>,
): Promise<boolean> {
  using limit = deadline(ms, signal);
  try {
    await work(limit.signal);
    return true;
  } catch (error) {
    if (!limit.signal.aborted || signal.aborted) throw error;
    return false;
  }
}

async function idle(activity: Activity, limit: AbortSignal): Promise<void> {
  for (;;) {
    await activity.until(activity.isIdle, limit);
    const left = IDLE_MS - activity.idleMs();
    if (left <= 0) return;
    await setTimeout(left, undefined, { signal: limit });
  }
}
