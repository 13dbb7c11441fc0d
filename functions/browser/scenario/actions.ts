import type { StepReport } from '../../../shared/contract/scrape/js-scenario.ts';
import { locatorParts } from '../../../shared/contract/scrape/locator.ts';
import type { Action, StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { callView } from '../capture/capture-context.ts';
import { takePicture } from '../capture/take-picture.ts';
import { whileLoading } from '../capture/whole-page.ts';
import { call, find, REMOVE_ALL } from '../page/find.ts';
import { evaluate } from './evaluate.ts';
import { check, fill, select, type, uncheck } from './forms.ts';
import type { ScenarioContext } from './scenario-context.ts';
import { press } from './keyboard.ts';
import { pollUntil } from './poll-until.ts';
import { click, drag, hover } from './pointer.ts';
import { infiniteScroll, scrollTo, scrollX, scrollY } from './scroll.ts';
import { wait, waitFor, waitForNavigation, waitForResponse, waitForText, waitForUrl } from './waits.ts';

/** Instructions that decide about others, and do nothing themselves. */
export type Control = 'if' | 'repeat' | 'exit';
export type Act = Exclude<Action, Control>;

/** Throws a `StepFailure` with the reason in words. Only what `evaluate` and `screenshot` return is used. */
type Perform<A extends Act> = (context: ScenarioContext, step: StepOf<A>) => Promise<unknown>;

export const actions: { readonly [A in Act]: Perform<A> } = {
  click,
  hover,
  drag,
  fill,
  type,
  press,
  select,
  check,
  uncheck,
  scroll_x: scrollX,
  scroll_y: scrollY,
  scroll_to: scrollTo,
  infinite_scroll: infiniteScroll,
  wait,
  wait_for: waitFor,
  wait_for_and_click: click,
  wait_for_text: waitForText,
  wait_for_url: waitForUrl,
  wait_for_response: waitForResponse,
  wait_for_navigation: waitForNavigation,
  remove,
  evaluate,
  screenshot,
};

/** After these the page needs no time to react. */
const PASSIVE: readonly Act[] = [
  'wait',
  'wait_for',
  'wait_for_text',
  'wait_for_url',
  'wait_for_response',
  'screenshot',
];
export const isPassive = (action: Act) => PASSIVE.includes(action);

/** A picture of the viewport, which does not change the page. */
async function screenshot(
  context: ScenarioContext,
  { name, type, quality }: StepOf<'screenshot'>,
): Promise<StepReport['screenshot']> {
  const { pageTime, draw } = context;
  await whileLoading({ view: callView(context), pageTime, isFetching: () => false });
  const { body, ...about } = await takePicture({ draw }, { type, quality });
  return { name, ...about, base64: Buffer.from(body).toString('base64') };
}

/** Removes every element that matches the last part of the locator beside the first one. */
async function remove(context: ScenarioContext, step: StepOf<'remove'>): Promise<void> {
  const { selector } = step;
  const { kind, value } = locatorParts(selector).at(-1) ?? { kind: 'css', value: selector };
  await pollUntil(context, step, async () => {
    const found = await find(context, selector);
    if (!found) return { missing: `no element matches '${selector}'` };
    await call(context, found, REMOVE_ALL, kind, value);
    return { found };
  });
}
