import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import type { Hands } from './hands.ts';
import { clickAt } from './mouse.ts';
import { readyPoint } from './ready-to-act.ts';

export async function click(hands: Hands, step: StepOf<'click' | 'wait_for_and_click'>): Promise<void> {
  await clickAt(hands, await readyPoint(hands, step));
}
