import { deadline } from '../../../shared/time/deadline.ts';
import type { Hands } from './hands.ts';

const FRAME_MS = 16;
/** Chromium has this long to begin a navigation that the page wants; a mail program's link begins none. */
const BEGIN_MS = 1_000;
const ARRIVE_MS = 30_000;

/** Lets the page react to an act: two frames, and the document that it navigates to. */
export async function follow({ pace, activity, sightings, signal }: Hands): Promise<void> {
  const before = activity.documents();
  await pace.pass(FRAME_MS);
  await pace.pass(FRAME_MS);
  const hasBegun = () =>
    activity.isNavigating() || activity.documents() !== before || sightings.documentsNow() > 0;
  if (sightings.isLeaving()) await within(BEGIN_MS, hasBegun);
  if (activity.isNavigating() || sightings.documentsNow() > 0)
    await within(ARRIVE_MS, () => !activity.isNavigating() && activity.isParsed());

  async function within(ms: number, condition: () => boolean): Promise<void> {
    using limit = deadline(ms, signal);
    await pace.during(activity.until(condition, limit.signal)).catch((error: unknown) => {
      if (signal.aborted) throw error;
    });
  }
}
