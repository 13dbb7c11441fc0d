import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { call } from '../page/find.ts';
import type { Hands } from './hands.ts';
import { patiently } from './patience.ts';
import { readyElement } from './ready-to-act.ts';
import { isExplained, StepFailure } from './step-failure.ts';

/** Waits for the option too: another field may load it. */
export async function select(hands: Hands, step: StepOf<'select'>): Promise<void> {
  const { selector, value } = step;
  await patiently(hands, step, async () => {
    const field = await readyElement(hands, { selector, timeout: 0 }).catch(asMissing);
    if ('missing' in field) return field;
    if (field.state.tag !== 'select') throw new StepFailure(`'${selector}' is not a select`);
    const isChosen = await call<boolean>(hands, field, CHOOSE, value);
    return isChosen ? { found: true } : { missing: `'${selector}' has no such option` };
  });
}

function asMissing(error: unknown): { missing: string } {
  if (!isExplained(error)) throw error;
  return { missing: error.message.replace(/ within 0 ms$/, '') };
}

/** The browser draws the list of options outside of the page, so no click can reach them. */
const CHOOSE = /* js */ `function (wanted) {
  const normal = (text) => text.replace(/\\s+/g, ' ').trim();
  const all = [...this.options].filter((option) => !option.disabled);
  const option = all.find(({ value }) => value === wanted) ?? all.find(({ text }) => normal(text) === normal(wanted));
  if (!option) return false;
  this.focus();
  if (option.selected && !this.multiple) return true;
  option.selected = true;
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
}`;
