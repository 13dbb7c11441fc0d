import { setTimeout } from 'node:timers/promises';
import type { Pace } from '../clock/page-time.ts';
import type { Studio } from './studio.ts';
import type { Extent } from './studio.ts';

/** Of the page's time, for what loads when it comes into view and for handlers of the end of scrolling. */
const STEP_MS = 100;
const SHORTEST_STEP_MS = 35;
/** Of all steps, which are shorter on tall pages. */
const SCROLLING_MS = 3_000;
/** Of a window: what waits until most of it is in view is once in the middle. */
const STRIDE = 0.75;
/** A page that loads more and more is left at this. */
const MAX_STEPS = 80;
const PATIENCE_MS = 5_000;
const LOOK_MS = 50;

/** Brings every part of the page into view once, so that lazy pictures load, and returns to its top. */
export async function seeAll(studio: Studio): Promise<void> {
  const { view, pace } = studio;
  await view('showAll');
  await walkDown({ scrollTo: (top) => view('scrollDown', top), extent: () => view('extent'), pace });
  await pace.pass(STEP_MS);
  // What was added meanwhile.
  await view('showAll');
  await whileLoading(studio);
  await view('scrollDown', 0);
  await pace.pass(STEP_MS);
}

type Walk = {
  scrollTo: (top: number) => Promise<unknown>;
  extent: () => Promise<Pick<Extent, 'height' | 'viewport'>>;
  pace: Pick<Pace, 'pass'>;
  /** At the end so far. Returns where it is afterwards. */
  linger?: (end: number) => Promise<number>;
};

/** Scrolls from the top to the bottom by less than a window at a time. The page may grow on the way. */
export async function walkDown({ scrollTo, extent, pace, linger }: Walk): Promise<void> {
  const { viewport, height } = await extent();
  const stride = Math.ceil(viewport * STRIDE);
  const stepMs = Math.max(SHORTEST_STEP_MS, Math.min(STEP_MS, (SCROLLING_MS * stride) / height));
  for (let step = 1, end = height; step * stride < end && step <= MAX_STEPS; step += 1) {
    await scrollTo(step * stride);
    // Twice: observers are called after a first frame, and a second has what they add.
    await pace.pass(stepMs / 2);
    await pace.pass(stepMs / 2);
    end = (await extent()).height;
    if (linger && (step + 1) * stride >= end) end = await linger(end);
  }
}

/** Waits for images and fonts, but not for ever. */
export async function whileLoading({
  view,
  pace,
  isFetching,
}: Pick<Studio, 'view' | 'pace' | 'isFetching'>): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until && (isFetching() || (await view('isLoading'))))
    await pace.during(setTimeout(LOOK_MS));
}
