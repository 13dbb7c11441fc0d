import { z } from 'zod';
import { type Fields, refused } from './mapped.ts';

const selector = z.string().min(1).max(1_000);
const type = z.string();

/** A scroll without an element moves by most of a window. */
const WINDOW_PIXELS = 600;

type Row = { schema: z.ZodType<Fields>; instruction: (action: Fields, name: string) => Fields };

/** What each action is as an instruction of a scenario. */
const ACTIONS: Readonly<Record<string, Row>> = {
  wait: {
    schema: z
      .strictObject({ type, milliseconds: z.int().min(1).max(60_000), selector })
      .partial({ milliseconds: true, selector: true })
      .refine((wait) => (wait.milliseconds === undefined) !== (wait.selector === undefined), {
        error: 'expected either milliseconds or selector',
      }),
    instruction: ({ milliseconds, selector: awaited }) =>
      awaited === undefined ? { wait: milliseconds } : { wait_for: awaited },
  },
  click: {
    schema: z.strictObject({ type, selector, all: z.literal(false).optional() }),
    instruction: ({ selector: target }) => ({ click: target }),
  },
  write: {
    schema: z.strictObject({ type, text: z.string().max(16_384) }),
    // What was clicked before has the focus.
    instruction: ({ text }) => ({ type: [':focus', text] }),
  },
  press: {
    schema: z.strictObject({ type, key: z.string().min(1).max(40) }),
    instruction: ({ key }) => ({ press: key }),
  },
  scroll: {
    schema: z.strictObject({
      type,
      direction: z.enum(['up', 'down']).optional(),
      selector: selector.optional(),
    }),
    instruction: ({ direction, selector: target }) =>
      target === undefined
        ? { scroll_y: direction === 'up' ? -WINDOW_PIXELS : WINDOW_PIXELS }
        : { scroll_to: target },
  },
  screenshot: {
    schema: z.strictObject({
      type,
      fullPage: z.literal(false, { error: 'is not supported here; the format screenshot has it' }).optional(),
      quality: z.int().min(1).max(100).optional(),
    }),
    instruction: ({ quality }, name) => ({
      screenshot: quality === undefined ? name : { name, type: 'jpeg', quality },
    }),
  },
  executeJavascript: {
    schema: z.strictObject({ type, script: z.string().min(1).max(131_072) }),
    instruction: ({ script }) => ({ evaluate: script }),
  },
};

/** The scenario of a list of actions. Throws `invalid_request` for an action that is missing here. */
export function scenarioOf(actions: readonly Fields[]): Fields {
  return { instructions: actions.map((action, at) => instructionOf(action, at)), strict: true };
}

function instructionOf(action: Fields, at: number): Fields {
  const name = String(action['type']);
  const row = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (row === undefined)
    throw refused(
      `actions[${at}]`,
      `The action '${name}' is not supported here. Known: ${Object.keys(ACTIONS).join(', ')}.`,
    );
  const { data, error } = row.schema.safeParse(action);
  const [issue] = error?.issues ?? [];
  if (data) return row.instruction(data, `screenshot-${at}`);
  const path = [`actions[${at}]`, ...(issue?.path ?? [])].join('.');
  throw refused(path, `Invalid value for '${path}': ${issue?.message}.`);
}
