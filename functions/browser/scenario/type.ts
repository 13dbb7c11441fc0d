import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { editable, FOCUS } from './fill.ts';
import { call } from '../page/find.ts';
import type { Hands } from './hands.ts';
import { typeText } from './keyboard.ts';

export async function type(hands: Hands, step: StepOf<'type'>): Promise<void> {
  const field = await editable(hands, step);
  await call(hands, field, FOCUS, false);
  await typeText(hands, step.value);
}
