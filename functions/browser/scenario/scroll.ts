import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { inPage } from './evaluate.ts';
import type { Hands } from './hands.ts';
import { readyElement } from './ready-to-act.ts';
import { DOWN, RIGHT } from './scroller-script.ts';

/** One frame, in which the page sees that it was scrolled. */
const FRAME_MS = 16;

export const scrollX = (hands: Hands, { pixels }: StepOf<'scroll_x'>) =>
  scrollBy(hands, RIGHT, { left: pixels });
export const scrollY = (hands: Hands, { pixels }: StepOf<'scroll_y'>) =>
  scrollBy(hands, DOWN, { top: pixels });

export async function scrollTo(hands: Hands, step: StepOf<'scroll_to'>): Promise<void> {
  await readyElement(hands, step);
}

async function scrollBy(
  hands: Hands,
  scroller: string,
  way: { left: number } | { top: number },
): Promise<void> {
  await inPage(hands, `${scroller}.scrollBy(${JSON.stringify({ ...way, behavior: 'instant' })})`);
  await hands.pace.pass(FRAME_MS);
}
