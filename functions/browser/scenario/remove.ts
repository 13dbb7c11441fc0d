import { partsOf } from '../../../shared/contract/scrape/locator.ts';
import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { call, find } from '../page/find.ts';
import { FIND } from '../page/finder-script.ts';
import type { Hands } from './hands.ts';
import { patiently } from './patience.ts';

/** Removes every element that matches the last part of the locator beside the first one. */
export async function remove(hands: Hands, step: StepOf<'remove'>): Promise<void> {
  const { selector } = step;
  const { kind, value } = partsOf(selector).at(-1) ?? { kind: 'css', value: selector };
  await patiently(hands, step, async () => {
    const found = await find(hands, selector);
    if (!found) return { missing: `no element matches '${selector}'` };
    await call(hands, found, REMOVE, kind, value);
    return { found };
  });
}

const REMOVE = /* js */ `function (kind, value) {
  const root = this.getRootNode();
  const scope = root === document ? window : root.host;
  for (const element of (${FIND}).call(scope, kind, value)[1]) element.remove();
}`;
