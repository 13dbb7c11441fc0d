import { z } from 'zod';
import { Locator } from './locator.ts';
import { encoding, qualityRule } from './picture.ts';

const MAX_TIMEOUT_MS = 120_000;
const MAX_TEXT = 16_384;
export const MAX_INSTRUCTIONS = 500;
export const MAX_DEPTH = 5;

const timeout = z
  .int()
  .min(0)
  .max(MAX_TIMEOUT_MS)
  .optional()
  .describe('Milliseconds to wait for the element or the condition. Absent: 10,000.');
const optional = z.boolean().optional().describe('Skip the instruction if it fails. Absent: false.');
const waitFields = { timeout, optional };
const pixels = z.int().min(-1_000_000).max(1_000_000);
const text = z.string().max(MAX_TEXT);

/** The short form, or an object that has it under `name`. */
function either<N extends string, S extends z.ZodType, M extends z.ZodRawShape>(name: N, short: S, more: M) {
  const own = { [name]: short } as Record<N, S>;
  return z.union([short, z.strictObject({ ...own, ...more, ...waitFields })]);
}

const onElement = <M extends z.ZodRawShape>(more: M) =>
  z.union([Locator, z.strictObject({ selector: Locator, ...more, ...waitFields })]);
/** An element and what goes into it: `["#name", "Ada"]`, or an object. */
const withValue = <M extends z.ZodRawShape>(more: M) =>
  z.union([
    z.tuple([Locator, text]),
    z.strictObject({ selector: Locator, value: text, ...more, ...waitFields }),
  ]);

const place = {
  x: z
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .describe("Pixels from the element's left edge. Absent: its middle."),
  y: z
    .int()
    .min(0)
    .max(100_000)
    .optional()
    .describe("Pixels from the element's top edge. Absent: its middle."),
};

/** An element that is there, or with `gone` an absent one. */
const Sign = z.union([Locator, z.strictObject({ selector: Locator, gone: z.boolean().optional() })]);

const name = z.string().min(1).max(100);
const waiting = z.int().min(0).max(MAX_TIMEOUT_MS);
const glob = z.string().min(1).max(2_048);

/** One key and its value: the action, and what it acts on. */
export const Instruction = z
  .strictObject({
    click: onElement(place).describe('Click the element.'),
    hover: onElement(place).describe('Move the mouse onto the element.'),
    drag: z
      .strictObject({ selector: Locator, by_x: pixels.optional(), by_y: pixels.optional(), ...waitFields })
      .describe('Drag the element with the mouse by this many pixels.'),
    fill: withValue({ clear: z.boolean().optional() }).describe(
      "Replace a field's text, or append to it with `clear: false`. Write dates, numbers and colours as in the field's `value`.",
    ),
    type: withValue({}).describe('Type text key by key at the end of a field.'),
    press: either('key', z.string().min(1).max(40), { selector: Locator.optional() }).describe(
      'Press a key: `Enter`, `ArrowDown`, `a`, `Control+a`. With `selector` in that element.',
    ),
    select: withValue({}).describe('Choose the option with this value or text.'),
    check: onElement({}).describe('Tick a checkbox or choose a radio button, unless it is already.'),
    uncheck: onElement({}).describe('Untick a checkbox if it is ticked.'),
    scroll_x: either('pixels', pixels, {}).describe('Scroll to the right by this many pixels.'),
    scroll_y: either('pixels', pixels, {}).describe('Scroll down by this many pixels.'),
    scroll_to: onElement({}).describe('Scroll until the element is in view.'),
    infinite_scroll: z
      .strictObject({
        max_count: z
          .int()
          .min(0)
          .max(1_000)
          .optional()
          .describe('How many times; 0 means until the page no longer grows. Absent: 0.'),
        delay: z
          .int()
          .min(0)
          .max(30_000)
          .optional()
          .describe('Milliseconds to wait after each scroll. Absent: 1,000.'),
        end_click: z
          .strictObject({ selector: Locator })
          .optional()
          .describe('What to click at the end of the page, such as a "load more" button.'),
        ...waitFields,
      })
      .describe('Scroll to the end of the page repeatedly.'),
    wait: waiting.describe('Wait this many milliseconds.'),
    wait_for: onElement({}).describe('Wait until the element is visible.'),
    wait_for_and_click: onElement(place).describe('The same as `click`, which also waits.'),
    wait_for_text: either('text', text.min(1), {}).describe('Wait until the page shows this text.'),
    wait_for_url: either('url', glob, {}).describe('Wait until the URL matches. `*` stands for any text.'),
    wait_for_response: either('url', glob, {}).describe(
      'Wait until the page or one of its workers has received a response from a matching URL, or through a redirect from one, since the previous instruction began.',
    ),
    wait_for_navigation: z
      .union([z.literal(true), z.strictObject(waitFields)])
      .describe('Wait until the page has loaded another document since the previous instruction began.'),
    remove: onElement({}).describe('Remove all elements that match.'),
    evaluate: either('script', z.string().min(1).max(131_072), {}).describe(
      'Run JavaScript in the page. Its result, as JSON of up to 1 MB, is in the report.',
    ),
    screenshot: z
      .union([name, z.strictObject({ name, ...encoding, optional }).check(qualityRule)])
      .describe(
        'Take a picture of the viewport, reported in the step under this name. Only allowed with `format=json`.',
      ),
    if: z
      .strictObject({
        selector: Locator,
        timeout,
        get then() {
          return z.array(Instruction).max(MAX_INSTRUCTIONS);
        },
        get else() {
          return z.array(Instruction).max(MAX_INSTRUCTIONS).optional();
        },
      })
      .describe('Do `then` if the element is visible now, or within `timeout`; otherwise `else`.'),
    repeat: z
      .strictObject({
        times: z.int().min(1).max(1_000).optional().describe('At most this many times. Absent: 100.'),
        until: Sign.optional().describe(
          'Start no further round once this element is visible or, with `gone: true`, no longer visible.',
        ),
        get do() {
          return z.array(Instruction).min(1).max(MAX_INSTRUCTIONS);
        },
      })
      .describe('Repeat these instructions.'),
    exit: z.literal(true).describe('End the scenario here.'),
  })
  .partial()
  .meta({ id: 'Instruction', minProperties: 1, maxProperties: 1, examples: [{ click: '#more' }] });
export type Instruction = z.infer<typeof Instruction>;

/** The lists inside an instruction, with their paths from it. */
export function listsIn({ if: condition, repeat }: Instruction): { path: string[]; list: Instruction[] }[] {
  return [
    { path: ['if', 'then'], list: condition?.then },
    { path: ['if', 'else'], list: condition?.else },
    { path: ['repeat', 'do'], list: repeat?.do },
  ].flatMap(({ path, list }) => (list ? [{ path, list }] : []));
}

/** These instructions, and all inside of them. */
export function everyIn(instructions: readonly Instruction[]): Instruction[] {
  return instructions.flatMap((instruction) => [
    instruction,
    ...listsIn(instruction).flatMap(({ list }) => everyIn(list)),
  ]);
}
