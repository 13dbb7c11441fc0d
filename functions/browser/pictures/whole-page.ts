import type { Studio } from './studio.ts';

/** For what loads when it comes into view, and for handlers that wait until scrolling stops. */
const STEP_MS = 100;
/** A page that loads more and more is left at this. */
const MAX_STEPS = 60;
const PATIENCE_MS = 5_000;
const LOOK_MS = 50;

/** Brings every part of the page into view once, so that lazy pictures load, and returns to its top. */
export async function seeAll(studio: Studio): Promise<void> {
  const { view, pace } = studio;
  await view('loadAll');
  const { viewport, height } = await view('extent');
  const steps = Math.min(Math.ceil(height / viewport) - 1, MAX_STEPS);
  for (let step = 1; step <= steps; step += 1) {
    await view('scrollTo', step * viewport);
    await pace.pass(STEP_MS);
  }
  // What was added meanwhile.
  await view('loadAll');
  await whileLoading(studio);
  await view('scrollTo', 0);
  await pace.pass(STEP_MS);
}

/** Waits for images and fonts, but not for ever. */
export async function whileLoading({
  view,
  pace,
  isFetching,
}: Pick<Studio, 'view' | 'pace' | 'isFetching'>): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until && (isFetching() || (await view('isLoading')))) await pace.sleep(LOOK_MS);
}
