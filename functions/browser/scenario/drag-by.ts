import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import type { Hands } from './hands.ts';
import { drag } from './mouse.ts';
import { readyPoint } from './ready-to-act.ts';

export async function dragBy(hands: Hands, step: StepOf<'drag'>): Promise<void> {
  const from = await readyPoint(hands, step);
  await drag(hands, from, { x: from.x + (step.by_x ?? 0), y: from.y + (step.by_y ?? 0) });
}
