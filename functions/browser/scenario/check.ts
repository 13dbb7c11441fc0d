import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { find, stateOf } from '../page/find.ts';
import type { Hands } from './hands.ts';
import { clickAt } from './mouse.ts';
import { patiently } from './patience.ts';
import { readyPoint } from './ready-to-act.ts';
import { StepFailure } from './step-failure.ts';

export const check = (hands: Hands, step: StepOf<'check'>) => tick(hands, step, true);
export const uncheck = (hands: Hands, step: StepOf<'uncheck'>) => tick(hands, step, false);

async function tick(hands: Hands, step: StepOf<'check' | 'uncheck'>, isWanted: boolean): Promise<void> {
  const { selector } = step;
  const box = await patiently(hands, step, async () => {
    const found = await find(hands, selector);
    return found ? { found: await stateOf(hands, found) } : { missing: `no element matches '${selector}'` };
  });
  if (!['checkbox', 'radio'].includes(box.type))
    throw new StepFailure(`'${selector}' is neither a checkbox nor a radio button`);
  if (box.isChecked === isWanted) return;
  await clickAt(hands, await readyPoint(hands, step));
  const found = await find(hands, selector);
  const isDone = !found || (await stateOf(hands, found)).isChecked === isWanted;
  if (!isDone) throw new StepFailure(`'${selector}' did not change when it was clicked`);
}
