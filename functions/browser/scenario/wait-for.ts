import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { find, stateOf } from '../page/find.ts';
import type { Hands } from './hands.ts';
import { patiently } from './patience.ts';

export async function waitFor(hands: Hands, step: StepOf<'wait_for'>): Promise<void> {
  const { selector } = step;
  await patiently(hands, step, async () => {
    const found = await find(hands, selector);
    if (!found) return { missing: `no element matches '${selector}'` };
    return (await stateOf(hands, found)).isVisible ? { found } : { missing: `'${selector}' is not visible` };
  });
}
