import type { DocumentReader } from './document-reader.ts';
import { untilAborted } from './until-aborted.ts';
import type { Activity } from './watch-activity.ts';

/** A page that never rests is taken as it is by then. */
const GIVE_UP_MS = 5_000;

/**
 * Waits until the page has settled: loaded, then no request in flight and no DOM change for 100 ms, given up after
 * 5 s. Begins anew when the page moves on to another document. Rejects when the signal aborts.
 */
export async function waitUntilReady(
  activity: Activity,
  reader: DocumentReader,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await activity.until(activity.isLoaded, signal);
    const before = activity.documents();
    await settled(activity, reader, signal);
    // A move under way is seen through, however long it takes.
    if (activity.documents() === before && !activity.isMoving()) return;
    await activity.until(() => activity.documents() > before || !activity.isMoving(), signal);
    if (activity.documents() === before) return;
  }
}

async function settled(activity: Activity, reader: DocumentReader, signal: AbortSignal): Promise<void> {
  const patience = AbortSignal.timeout(GIVE_UP_MS);
  const limit = AbortSignal.any([signal, patience]);
  try {
    while (!(await isQuiet(activity, reader, limit))) limit.throwIfAborted();
  } catch (error) {
    if (!patience.aborted || signal.aborted) throw error;
  }
}

async function isQuiet(activity: Activity, reader: DocumentReader, limit: AbortSignal): Promise<boolean> {
  await activity.until(() => activity.isLoaded() && activity.isIdle(), limit);
  const before = activity.count();
  const isStill = await untilAborted(reader.quiet(Math.round(activity.idleMs())), limit);
  return isStill && activity.isIdle() && before === activity.count();
}
