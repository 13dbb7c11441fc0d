import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import type { Hands } from './hands.ts';
import { moveTo } from './mouse.ts';
import { readyPoint } from './ready-to-act.ts';

export async function hover(hands: Hands, step: StepOf<'hover'>): Promise<void> {
  await moveTo(hands, await readyPoint(hands, step));
}
