import { setImmediate, setTimeout } from 'node:timers/promises';
import { deadline } from '../../../shared/time/deadline.ts';
import { type DocumentReader, NO_CHANGES } from '../page/document-reader.ts';
import type { Moment, PageClock } from './page-clock.ts';

/** Page time between two frames. */
export const FRAME_MS = 16;
/** Five seconds of them. A page that draws for longer draws for ever. */
const MAX_FRAMES = 312;
/** Frames that only draw on a canvas, or only move things, after which a page draws for ever. */
const MAX_FRAMES_OF = { drawing: 40, moving: 120 } as const;
/** Frames that are drawn for idle callbacks; a page that requests them again and again never rests. */
const MAX_IDLE_FRAMES = 60;

type Needs = {
  clock: PageClock;
  activity: { isFetching: () => boolean };
  reader: Pick<DocumentReader, 'isIdling' | 'framed' | 'changes'>;
};

export type PageFrames = {
  first: () => Promise<void>;
  /** Draws until a frame changes nothing, twice at least. `isFramed`: the page worked, then rested. */
  draw: (from: Moment) => Promise<{ now: Moment; isFramed: boolean }>;
  /** Whether an idle callback is pending, which only drawn frames call. */
  isIdling: (now: Moment) => Promise<boolean>;
  /** False for a page that draws for ever. */
  areLeft: () => boolean;
};

/** The frames of one page while it settles. */
export function pageFrames({ clock, activity, reader }: Needs, limit: AbortSignal): PageFrames {
  let left = MAX_FRAMES;
  let idleLeft = MAX_IDLE_FRAMES;
  let looked = { work: -1, isIdling: false };
  const drawsForEver = watchChanges(clock, reader);
  const mayGoOn = () => !activity.isFetching() && !limit.aborted;
  const frames: PageFrames = {
    first: () => firstFrame(clock, reader, limit),
    async draw(from) {
      await clock.frame();
      await clock.frame();
      let [last, next] = [from, await clock.moment()];
      const hasWorked = next.work > last.work;
      while (next.work > last.work && left > 0 && mayGoOn()) {
        last = await clock.skip(next, FRAME_MS, activity.isFetching, limit);
        await clock.frame();
        next = await clock.moment();
        left = (await drawsForEver()) ? 0 : left - 1;
      }
      while (await frames.isIdling(next)) {
        await clock.frame(true);
        next = await clock.moment();
        idleLeft -= 1;
      }
      return { now: next, isFramed: hasWorked && left > 0 };
    },
    async isIdling({ work }) {
      if (idleLeft === 0 || !mayGoOn()) return false;
      // Only work requests idle callbacks.
      if (work > looked.work || looked.isIdling)
        looked = { work, isIdling: await clock.unnoticed(reader.isIdling()) };
      return looked.isIdling;
    },
    areLeft: () => left > 0,
  };
  return frames;
}

/** Each call follows a frame in which the page has worked. */
function watchChanges(
  clock: Pick<PageClock, 'unnoticed'>,
  reader: Pick<DocumentReader, 'changes'>,
): () => Promise<boolean> {
  let [drawn, changedAt, stoodAt, last] = [0, 0, 0, NO_CHANGES];
  return async () => {
    drawn += 1;
    if (drawn % MAX_FRAMES_OF.drawing !== 1) return false;
    const next = await clock.unnoticed(reader.changes());
    if (next.changes !== last.changes) changedAt = drawn;
    if (next.moves === last.moves) stoodAt = drawn;
    last = next;
    const still = drawn - changedAt;
    if (next.hasCanvas && still >= MAX_FRAMES_OF.drawing) return true;
    return Math.min(still, drawn - stoodAt) >= MAX_FRAMES_OF.moving;
  };
}

/** How long Chromium may take until it draws, and between two tries. */
const [FIRST_FRAME_MS, RETRY_MS] = [1_000, 4];

/** Tries until the page gets a frame. Chromium may draw none at first, though it reports that it did. */
async function firstFrame(
  clock: Pick<PageClock, 'frame'>,
  reader: Pick<DocumentReader, 'framed'>,
  limit: AbortSignal,
): Promise<void> {
  using timeout = deadline(FIRST_FRAME_MS, limit);
  const framed = reader.framed().then(() => 'framed');
  // The page must receive the request before the frame begins.
  await setImmediate();
  let seen: string | undefined;
  while (!seen && !timeout.signal.aborted) {
    await clock.frame();
    seen = await Promise.race([framed, setTimeout(RETRY_MS, undefined)]);
  }
}
