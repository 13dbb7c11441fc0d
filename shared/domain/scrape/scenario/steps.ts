import type { PictureType } from '../../../contract/scrape/picture.ts';
import { type Instruction, listsIn } from '../../../contract/scrape/scenario.ts';

type Patience = { timeout?: number | undefined; optional?: boolean | undefined };
type OnElement = Patience & { selector: string };
type AtPlace = OnElement & { x?: number | undefined; y?: number | undefined };
type WithValue = OnElement & { value: string };

/** What each action needs, without its short form. */
type Shapes = {
  click: AtPlace;
  hover: AtPlace;
  wait_for_and_click: AtPlace;
  drag: OnElement & { by_x?: number | undefined; by_y?: number | undefined };
  fill: WithValue & { clear?: boolean | undefined };
  type: WithValue;
  press: Patience & { key: string; selector?: string | undefined };
  select: WithValue;
  check: OnElement;
  uncheck: OnElement;
  scroll_x: Patience & { pixels: number };
  scroll_y: Patience & { pixels: number };
  scroll_to: OnElement;
  infinite_scroll: Patience & NonNullable<Instruction['infinite_scroll']>;
  wait: Patience & { ms: number };
  wait_for: OnElement;
  wait_for_text: Patience & { text: string };
  wait_for_url: Patience & { url: string };
  wait_for_response: Patience & { url: string };
  wait_for_navigation: Patience;
  remove: OnElement;
  evaluate: Patience & { script: string };
  screenshot: Patience & { name: string; type?: PictureType | undefined; quality?: number | undefined };
  if: Patience & NonNullable<Instruction['if']>;
  repeat: Patience & NonNullable<Instruction['repeat']>;
  exit: Patience;
};

export type Action = keyof Shapes;
export type StepOf<A extends Action> = { [K in A]: { action: K } & Shapes[K] }[A];
/** An instruction as the browser does it. */
export type Step = StepOf<Action>;

/** The names under which an object has what the short form is. */
const SHORT: Partial<Record<Action, string>> = {
  press: 'key',
  scroll_x: 'pixels',
  scroll_y: 'pixels',
  wait: 'ms',
  wait_for_text: 'text',
  wait_for_url: 'url',
  wait_for_response: 'url',
  evaluate: 'script',
  screenshot: 'name',
};

/** The step of a checked instruction. */
export function stepOf(instruction: Instruction): Step {
  const [found] = Object.entries(instruction).filter(([, value]) => value !== undefined);
  if (!found) throw new Error('An instruction has one action');
  const [action, value] = found as [Action, unknown];
  return { action, ...wholeForm(action, value) } as Step;
}

function wholeForm(action: Action, value: unknown): object {
  if (value === true) return {};
  if (Array.isArray(value)) return { selector: value[0] as string, value: value[1] as string };
  if (typeof value === 'object' && value !== null) return value;
  return { [SHORT[action] ?? 'selector']: value };
}

/** Every text that the steps put into fields: secrets, for all that is known. */
export function typedIn(instructions: readonly Instruction[]): string[] {
  return instructions.flatMap((instruction) => {
    const step = stepOf(instruction);
    if (step.action === 'fill' || step.action === 'type') return [step.value];
    return listsIn(instruction).flatMap(({ list }) => typedIn(list));
  });
}
