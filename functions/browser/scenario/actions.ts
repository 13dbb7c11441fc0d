import type { Action, StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { check, uncheck } from './check.ts';
import { click } from './click.ts';
import { dragBy } from './drag-by.ts';
import { evaluate } from './evaluate.ts';
import { fill } from './fill.ts';
import type { Hands } from './hands.ts';
import { hover } from './hover.ts';
import { infiniteScroll } from './infinite-scroll.ts';
import { press } from './press.ts';
import { remove } from './remove.ts';
import { screenshot } from './screenshot.ts';
import { scrollTo, scrollX, scrollY } from './scroll.ts';
import { select } from './select.ts';
import { type } from './type.ts';
import { wait } from './wait.ts';
import { waitFor } from './wait-for.ts';
import { waitForNavigation } from './wait-for-navigation.ts';
import { waitForResponse } from './wait-for-response.ts';
import { waitForText } from './wait-for-text.ts';
import { waitForUrl } from './wait-for-url.ts';

/** Instructions that decide about others, and do nothing themselves. */
export type Control = 'if' | 'repeat' | 'exit';
export type Act = Exclude<Action, Control>;

/** Throws a `StepFailure` with the reason in words. Only what `evaluate` and `screenshot` return is used. */
type Perform<A extends Act> = (hands: Hands, step: StepOf<A>) => Promise<unknown>;

export const actions: { readonly [A in Act]: Perform<A> } = {
  click,
  hover,
  drag: dragBy,
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
