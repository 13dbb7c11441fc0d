import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { isShown } from '../page/find.ts';
import { evaluateIsolated } from '../page/isolated-worlds.ts';
import type { ScenarioContext } from './scenario-context.ts';
import { clickAt } from './pointer.ts';
import { actionableElement, actionablePoint } from './actionability.ts';
import { pageScript } from '../page/page-script.ts';

/** What a person would scroll. */
export const SCROLLER = pageScript('scroller');
/** One frame, for the page to notice the scroll. */
const FRAME_MS = 16;

export const scrollX = (context: ScenarioContext, { pixels }: StepOf<'scroll_x'>) =>
  scrollBy(context, { left: pixels });
export const scrollY = (context: ScenarioContext, { pixels }: StepOf<'scroll_y'>) =>
  scrollBy(context, { top: pixels });

export async function scrollTo(context: ScenarioContext, step: StepOf<'scroll_to'>): Promise<void> {
  await actionableElement(context, step);
}

async function scrollBy(context: ScenarioContext, by: { left: number } | { top: number }): Promise<void> {
  await evaluateIsolated(context, `${SCROLLER}.scrollBy(${JSON.stringify(by)})`);
  await context.pageTime.pass(FRAME_MS);
}

const DELAY_MS = 1_000;
/** For `max_count: 0`. */
const MOST = 1_000;
/** A page that polls is always fetching. */
const FETCH_MS = 5_000;
const LOOK_MS = 50;
/** Scrolls until the page no longer grows, and clicks for more where there is a button. */
export async function infiniteScroll(
  context: ScenarioContext,
  { max_count: most = 0, delay = DELAY_MS, end_click: end, timeout }: StepOf<'infinite_scroll'>,
): Promise<void> {
  for (let count = 0; count < (most || MOST); count += 1) {
    const before = await fingerprint(context);
    await evaluateIsolated(context, `${SCROLLER}.scrollToEnd()`);
    await pause(context, delay);
    if ((await fingerprint(context)) !== before) continue;
    if (!end || !(await isShown(context, end.selector))) return;
    await clickAt(context, await actionablePoint(context, { ...end, timeout }));
    await pause(context, delay);
    if ((await fingerprint(context)) === before) return;
  }
}

/** The delay, and what the page has begun to fetch in it. */
async function pause({ pageTime, activity }: ScenarioContext, delay: number): Promise<void> {
  await pageTime.pass(delay);
  for (let waited = 0; activity.isFetching() && waited < FETCH_MS; waited += LOOK_MS)
    await pageTime.sleep(LOOK_MS);
}

const fingerprint = (context: ScenarioContext) => evaluateIsolated(context, `${SCROLLER}.fingerprint()`);
