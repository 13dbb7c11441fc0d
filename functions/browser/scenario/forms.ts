import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { call, find, stateOf } from '../page/find.ts';
import { methodOf, pageScript } from '../page/page-script.ts';
import type { ScenarioContext } from './scenario-context.ts';
import { insertText, pressKey, typeText } from './keyboard.ts';
import { pollUntil } from './poll-until.ts';
import { clickAt } from './pointer.ts';
import { type Ready, actionableElement, actionablePoint } from './actionability.ts';
import { StepFailure, isExplained } from './step-failure.ts';

const FIELDS = pageScript('fields');
const PLACE_CURSOR = methodOf(FIELDS, 'placeCursor');
const SET_VALUE = methodOf(FIELDS, 'setValue');
const CHOOSE = methodOf(FIELDS, 'choose');

/** Inputs that have no text of their own to insert into. */
const WITH_PARTS = ['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'];
const NOT_FILLED = ['checkbox', 'radio', 'submit', 'button', 'reset', 'image', 'hidden'];

export async function fill(context: ScenarioContext, step: StepOf<'fill'>): Promise<void> {
  const field = await editable(context, step);
  if (field.state.tag === 'input' && WITH_PARTS.includes(field.state.type))
    return setValue(context, field, step);
  await call(context, field, PLACE_CURSOR, step.clear ?? true);
  if (step.value !== '') await insertText(context, step.value);
  else if (step.clear ?? true) await pressKey(context, 'Backspace');
}

export async function type(context: ScenarioContext, step: StepOf<'type'>): Promise<void> {
  const field = await editable(context, step);
  await call(context, field, PLACE_CURSOR, false);
  await typeText(context, step.value);
}

/** The field of a step, once it can be written in. */
async function editable(
  context: ScenarioContext,
  step: { selector: string; timeout?: number | undefined },
): Promise<Ready> {
  const field = await actionableElement(context, step);
  const { isEditable, isReadOnly, tag, type } = field.state;
  const isField = isEditable && tag !== 'select' && !(tag === 'input' && NOT_FILLED.includes(type));
  if (!isField) throw new StepFailure(`'${step.selector}' is not a text field`);
  if (isReadOnly) throw new StepFailure(`'${step.selector}' is read-only`);
  return field;
}

async function setValue(
  context: ScenarioContext,
  field: Ready,
  { selector, value }: StepOf<'fill'>,
): Promise<void> {
  const isTaken = await call<boolean>(context, field, SET_VALUE, value);
  if (!isTaken)
    throw new StepFailure(`'${selector}' is of type ${field.state.type} and does not take this value`);
}

export const check = (context: ScenarioContext, step: StepOf<'check'>) => tick(context, step, true);
export const uncheck = (context: ScenarioContext, step: StepOf<'uncheck'>) => tick(context, step, false);

async function tick(
  context: ScenarioContext,
  step: StepOf<'check' | 'uncheck'>,
  isWanted: boolean,
): Promise<void> {
  const { selector } = step;
  const box = await pollUntil(context, step, async () => {
    const found = await find(context, selector);
    return found ? { found: await stateOf(context, found) } : { missing: `no element matches '${selector}'` };
  });
  if (!['checkbox', 'radio'].includes(box.type))
    throw new StepFailure(`'${selector}' is neither a checkbox nor a radio button`);
  if (box.isChecked === isWanted) return;
  await clickAt(context, await actionablePoint(context, step));
  const found = await find(context, selector);
  const isDone = !found || (await stateOf(context, found)).isChecked === isWanted;
  if (!isDone) throw new StepFailure(`'${selector}' did not change when it was clicked`);
}

/** Waits for the option too: another field may load it. */
export async function select(context: ScenarioContext, step: StepOf<'select'>): Promise<void> {
  const { selector, value } = step;
  await pollUntil(context, step, async () => {
    const field = await actionableElement(context, { selector, timeout: 0 }).catch(asMissing);
    if ('missing' in field) return field;
    if (field.state.tag !== 'select') throw new StepFailure(`'${selector}' is not a select`);
    const isChosen = await call<boolean>(context, field, CHOOSE, value);
    return isChosen ? { found: true } : { missing: `'${selector}' has no such option` };
  });
}

function asMissing(error: unknown): { missing: string } {
  if (!isExplained(error)) throw error;
  return { missing: error.message.replace(/ within 0 ms$/, '') };
}
