import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import type { Hands } from './hands.ts';
import { isShown } from '../page/find.ts';
import { patiently } from './patience.ts';

export async function waitForText(hands: Hands, step: StepOf<'wait_for_text'>): Promise<void> {
  await patiently(hands, step, async () =>
    (await isShown(hands, [{ kind: 'text', value: step.text }]))
      ? { found: true }
      : { missing: 'the text is not on the page' },
  );
}
