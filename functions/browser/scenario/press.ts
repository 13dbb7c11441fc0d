import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { call } from '../page/find.ts';
import type { Hands } from './hands.ts';
import { pressKey } from './keyboard.ts';
import { readyElement } from './ready-to-act.ts';

export async function press(hands: Hands, { selector, timeout, key }: StepOf<'press'>): Promise<void> {
  if (selector !== undefined) {
    const element = await readyElement(hands, { selector, timeout });
    await call(hands, element, 'function () { this.focus(); }');
  }
  await pressKey(hands, key);
}
