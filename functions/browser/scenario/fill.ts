import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { call } from '../page/find.ts';
import type { Hands } from './hands.ts';
import { insertText, pressKey } from './keyboard.ts';
import { type Ready, readyElement } from './ready-to-act.ts';
import { StepFailure } from './step-failure.ts';

/** Inputs that have no text of their own to insert into. */
const WITH_PARTS = ['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'];
const NOT_FILLED = ['checkbox', 'radio', 'submit', 'button', 'reset', 'image', 'hidden'];

export async function fill(hands: Hands, step: StepOf<'fill'>): Promise<void> {
  const field = await editable(hands, step);
  if (field.state.tag === 'input' && WITH_PARTS.includes(field.state.type))
    return setValue(hands, field, step);
  await call(hands, field, FOCUS, step.clear ?? true);
  if (step.value !== '') await insertText(hands, step.value);
  else if (step.clear ?? true) await pressKey(hands, 'Backspace');
}

/** The field of a step, once it can be written in. */
export async function editable(
  hands: Hands,
  step: { selector: string; timeout?: number | undefined },
): Promise<Ready> {
  const field = await readyElement(hands, step);
  const { isEditable, isReadOnly, tag, type } = field.state;
  const isField = isEditable && tag !== 'select' && !(tag === 'input' && NOT_FILLED.includes(type));
  if (!isField) throw new StepFailure(`'${step.selector}' is not a text field`);
  if (isReadOnly) throw new StepFailure(`'${step.selector}' is read-only`);
  return field;
}

async function setValue(hands: Hands, field: Ready, { selector, value }: StepOf<'fill'>): Promise<void> {
  const isTaken = await call<boolean>(hands, field, SET_VALUE, value);
  if (!isTaken)
    throw new StepFailure(`'${selector}' is of type ${field.state.type} and does not take this value`);
}

/** Selects what is there, or goes behind it. */
export const FOCUS = /* js */ `function (isAll) {
  this.focus();
  if (this.localName === 'input' || this.localName === 'textarea') {
    if (isAll) return void this.select();
    // Inputs such as those for e-mail addresses have no selection to move.
    try { this.setSelectionRange(this.value.length, this.value.length); } catch {}
    return;
  }
  const range = document.createRange();
  range.selectNodeContents(this);
  if (!isAll) range.collapse(false);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}`;

const SET_VALUE = /* js */ `function (value) {
  this.focus();
  this.value = value;
  const isTaken = this.type === 'color' ? this.value === value.toLowerCase() : this.value === value;
  if (!isTaken) return false;
  this.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  this.dispatchEvent(new Event('change', { bubbles: true }));
  return true;
}`;
