import { setTimeout } from 'node:timers/promises';
import type { RenderRequest } from '../../../shared/contract/messages.ts';
import type { RenderState } from '../../../shared/contract/page.ts';
import type { WaitUntil } from '../../../shared/contract/scrape-request.ts';
import type { DocumentReader } from './document-reader.ts';
import { untilAborted } from '../../../shared/until-aborted.ts';
import type { Activity } from './watch-activity.ts';

/** A page that never rests is taken as it is by then. */
const SETTLED_PATIENCE_MS = 5_000;
/** After the load event: a page that polls, or keeps a request open, is never idle. */
const IDLE_PATIENCE_MS = 10_000;
const IDLE_MS = 500;

type Waits = Pick<RenderRequest, 'waitUntil' | 'waitFor' | 'wait'>;
type Rest = (activity: Activity, reader: DocumentReader, signal: AbortSignal) => Promise<boolean>;

/** What is waited for in a document once its event has fired. False if that was given up. */
const RESTS: Readonly<Partial<Record<WaitUntil, Rest>>> = {
  networkidle: (activity, _, signal) => patiently(IDLE_PATIENCE_MS, signal, (limit) => idle(activity, limit)),
  async settled(activity, reader, signal) {
    await patiently(SETTLED_PATIENCE_MS, signal, async (limit) => {
      while (!(await isQuiet(activity, reader, limit))) limit.throwIfAborted();
    });
    // To give up on a page that never rests is part of the bargain.
    return true;
  },
};

/**
 * Waits for all that was asked for, in the document that the page comes to rest with: a move to another one is seen
 * through, and begins the waiting anew. `partial` if the network never became idle. Rejects when the signal aborts.
 */
export async function waitUntilReady(
  { waitUntil, waitFor, wait }: Waits,
  activity: Activity,
  reader: DocumentReader,
  signal: AbortSignal,
): Promise<RenderState> {
  const isReached = waitUntil === 'domcontentloaded' ? activity.isParsed : activity.isLoaded;
  const isPresent = async () =>
    waitFor === undefined || (await untilAborted(reader.appeared(waitFor), signal));

  async function ready(): Promise<RenderState> {
    for (;;) {
      await activity.until(isReached, signal);
      const before = activity.documents();
      const isAtRest = (await RESTS[waitUntil]?.(activity, reader, signal)) ?? true;
      if (!(await isPresent())) continue;
      // A move under way is seen through, however long it takes.
      await activity.until(() => activity.documents() > before || !activity.isMoving(), signal);
      if (activity.documents() === before) return isAtRest ? 'complete' : 'partial';
    }
  }
  const state = await ready();
  if (wait === 0) return state;
  const before = activity.documents();
  await setTimeout(wait, undefined, { signal });
  return activity.documents() === before && !activity.isMoving() ? state : ready();
}

/** True if the work was done within `ms`. Rejects as the work does, or when the signal aborts. */
async function patiently(
  ms: number,
  signal: AbortSignal,
  work: (limit: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const patience = AbortSignal.timeout(ms);
  try {
    await work(AbortSignal.any([signal, patience]));
    return true;
  } catch (error) {
    if (!patience.aborted || signal.aborted) throw error;
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

async function isQuiet(activity: Activity, reader: DocumentReader, limit: AbortSignal): Promise<boolean> {
  await activity.until(() => activity.isLoaded() && activity.isIdle(), limit);
  const before = activity.count();
  const isStill = await untilAborted(reader.quiet(Math.round(activity.idleMs())), limit);
  return isStill && activity.isIdle() && before === activity.count();
}
