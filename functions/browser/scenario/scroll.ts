import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { isShown } from '../page/find.ts';
import { inPage } from './evaluate.ts';
import type { Hands } from './hands.ts';
import { clickAt } from './pointer.ts';
import { readyElement, readyPoint } from './ready-to-act.ts';
import { pageScript } from '../page/page-script.ts';

/** What a person would scroll. */
export const SCROLLER = pageScript('scroller');
/** One frame, in which the page sees that it was scrolled. */
const FRAME_MS = 16;

export const scrollX = (hands: Hands, { pixels }: StepOf<'scroll_x'>) => scrollBy(hands, { left: pixels });
export const scrollY = (hands: Hands, { pixels }: StepOf<'scroll_y'>) => scrollBy(hands, { top: pixels });

export async function scrollTo(hands: Hands, step: StepOf<'scroll_to'>): Promise<void> {
  await readyElement(hands, step);
}

async function scrollBy(hands: Hands, by: { left: number } | { top: number }): Promise<void> {
  await inPage(hands, `${SCROLLER}.scrollBy(${JSON.stringify(by)})`);
  await hands.pace.pass(FRAME_MS);
}

const DELAY_MS = 1_000;
/** For `max_count: 0`. */
const MOST = 1_000;
/** A page that polls is always fetching. */
const FETCH_MS = 5_000;
const LOOK_MS = 50;
/** Scrolls until the page no longer grows, and clicks for more where there is a button. */
export async function infiniteScroll(
  hands: Hands,
  { max_count: most = 0, delay = DELAY_MS, end_click: end, timeout }: StepOf<'infinite_scroll'>,
): Promise<void> {
  for (let count = 0; count < (most || MOST); count += 1) {
    const before = await fingerprint(hands);
    await inPage(hands, `${SCROLLER}.scrollToEnd()`);
    await pause(hands, delay);
    if ((await fingerprint(hands)) !== before) continue;
    if (!end || !(await isShown(hands, end.selector))) return;
    await clickAt(hands, await readyPoint(hands, { ...end, timeout }));
    await pause(hands, delay);
    if ((await fingerprint(hands)) === before) return;
  }
}

/** The delay, and what the page has begun to fetch in it. */
async function pause({ pace, activity }: Hands, delay: number): Promise<void> {
  await pace.pass(delay);
  for (let waited = 0; activity.isFetching() && waited < FETCH_MS; waited += LOOK_MS)
    await pace.sleep(LOOK_MS);
}

const fingerprint = (hands: Hands) => inPage(hands, `${SCROLLER}.fingerprint()`);
