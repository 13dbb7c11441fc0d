import { setTimeout } from 'node:timers/promises';
import type { PageTime } from '../clock/page-time.ts';
import type { CaptureContext } from './capture-context.ts';
import type { Extent } from './capture-context.ts';

/** Page time for lazy content to load, and for handlers of `scrollend`. */
const STEP_MS = 100;
const SHORTEST_STEP_MS = 35;
/** Of all steps, which are shorter on tall pages. */
const SCROLLING_MS = 3_000;
/** Of a window: what waits until most of it is in view is once in the middle. */
const STRIDE = 0.75;
/** A page that loads more and more is left at this. */
const MAX_STEPS = 80;
const TIMEOUT_MS = 5_000;
const LOOK_MS = 50;

/** Brings every part of the page into view once, so that lazy pictures load, and returns to its top. */
export async function scrollThrough(context: CaptureContext): Promise<void> {
  const { view, pageTime } = context;
  await view('showAll');
  await walkDown({ scrollTo: (top) => view('scrollDown', top), extent: () => view('extent'), pageTime });
  await pageTime.pass(STEP_MS);
  // What was added meanwhile.
  await view('showAll');
  await whileLoading(context);
  await view('scrollDown', 0);
  await pageTime.pass(STEP_MS);
}

type Walk = {
  scrollTo: (top: number) => Promise<unknown>;
  extent: () => Promise<Pick<Extent, 'height' | 'viewport'>>;
  pageTime: Pick<PageTime, 'pass'>;
  /** At the end so far. Returns where it is afterwards. */
  linger?: (end: number) => Promise<number>;
};

/** Scrolls from the top to the bottom by less than a window at a time. The page may grow on the way. */
export async function walkDown({ scrollTo, extent, pageTime, linger }: Walk): Promise<void> {
  const { viewport, height } = await extent();
  const stride = Math.ceil(viewport * STRIDE);
  const stepMs = Math.max(SHORTEST_STEP_MS, Math.min(STEP_MS, (SCROLLING_MS * stride) / height));
  for (let step = 1, end = height; step * stride < end && step <= MAX_STEPS; step += 1) {
    await scrollTo(step * stride);
    // Twice: observers are called after a first frame, and a second has what they add.
    await pageTime.pass(stepMs / 2);
    await pageTime.pass(stepMs / 2);
    end = (await extent()).height;
    if (linger && (step + 1) * stride >= end) end = await linger(end);
  }
}

/** Waits for images and fonts, but not for ever. */
export async function whileLoading({
  view,
  pageTime,
  isFetching,
}: Pick<CaptureContext, 'view' | 'pageTime' | 'isFetching'>): Promise<void> {
  const until = performance.now() + TIMEOUT_MS;
  while (performance.now() < until && (isFetching() || (await view('isLoading'))))
    await pageTime.during(setTimeout(LOOK_MS));
}
