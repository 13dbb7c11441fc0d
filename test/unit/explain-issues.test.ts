import { expect, test } from 'vitest';
import { z } from 'zod';
import { schemaOf } from '../../shared/contract/json-schema.ts';
import { explainIssues } from '../../shared/request/explain-issues.ts';

const selector = z.union([
  z.string(),
  z.strictObject({ selector: z.string(), timeout: z.int().min(1).optional() }),
]);

/** A request shaped like a scenario: lists, unions, records and nested steps. */
const instruction: z.ZodType = z.union([
  z.strictObject({ click: selector }),
  z.strictObject({ wait: z.int().min(0).max(30_000) }),
  z.strictObject({ fill: z.tuple([z.string(), z.string()]) }),
  z.strictObject({
    if: z.strictObject({
      selector: z.string(),
      get then() {
        return z.array(instruction);
      },
    }),
  }),
]);
const Request = z.strictObject({
  url: z.string(),
  render_js: z.boolean().default(false),
  headers: z.record(z.string(), z.string()).optional(),
  format: z.enum(['html', 'text']).optional(),
  tags: z.array(z.string().min(2)).min(1).max(2).optional(),
  js_scenario: z
    .strictObject({ instructions: z.array(instruction), strict: z.boolean().default(true) })
    .optional(),
});
const schema = schemaOf(Request);

function faultsOf(fields: object) {
  const input = { url: 'https://example.com/', ...fields };
  const { error } = Request.safeParse(input);
  return explainIssues(error?.issues ?? [], { input, source: 'body', schema });
}

const third = (instruction: unknown) => ({
  js_scenario: { instructions: [{ click: '#a' }, { wait: 1 }, instruction] },
});
const AT = 'js_scenario.instructions[2]';

test('a schema is written once, so that a refused line of an upload does not write it again', () => {
  expect(schemaOf(Request)).toBe(schema);
});

test.each([
  [
    'an unknown field inside a step',
    third({ click: { selecter: '#x' } }),
    `${AT}.click.selecter`,
    `Unknown field '${AT}.click.selecter'. Did you mean 'selector'?`,
  ],
  [
    'an unknown step',
    third({ clik: '#x' }),
    `${AT}.clik`,
    `Unknown field '${AT}.clik'. Did you mean 'click'?`,
  ],
  [
    'two steps in one',
    third({ click: '#x', wait: 5 }),
    `${AT}.wait`,
    `Unknown field '${AT}.wait'. Did you mean 'wait'?`,
  ],
  [
    'an unknown field beside a step',
    { js_scenario: { instructions: [], strct: true } },
    'js_scenario.strct',
    "Unknown field 'js_scenario.strct'. Did you mean 'strict'?",
  ],
  [
    'a number out of its range',
    third({ wait: 30_001 }),
    `${AT}.wait`,
    `Invalid value for '${AT}.wait': expected a whole number from 0 to 30000.`,
  ],
  [
    'a number with one bound',
    third({ click: { selector: '#x', timeout: 0 } }),
    `${AT}.click.timeout`,
    `Invalid value for '${AT}.click.timeout': expected a whole number of at least 1.`,
  ],
  [
    'neither alternative of a union',
    third({ click: 5 }),
    `${AT}.click`,
    `Invalid value for '${AT}.click': expected a string or an object.`,
  ],
  [
    'a missing field',
    third({ if: { then: [] } }),
    `${AT}.if.selector`,
    `Field '${AT}.if.selector' is required.`,
  ],
  [
    'a step within a step',
    third({ if: { selector: 'p', then: [{ click: { selecter: 'a' } }] } }),
    `${AT}.if.then[0].click.selecter`,
    `Unknown field '${AT}.if.then[0].click.selecter'. Did you mean 'selector'?`,
  ],
  ['an object for a list', { tags: {} }, 'tags', "Invalid value for 'tags': expected a list."],
  ['a short list', { tags: [] }, 'tags', "Invalid value for 'tags': must not be empty."],
  [
    'a long list',
    { tags: ['aa', 'bb', 'cc'] },
    'tags',
    "Invalid value for 'tags': must not be longer than 2 entries.",
  ],
  [
    'a short text in a list',
    { tags: ['aa', 'b'] },
    'tags[1]',
    "Invalid value for 'tags[1]': must have at least 2 characters.",
  ],
  ['another word', { format: 'xml' }, 'format', "Invalid value for 'format': expected one of html, text."],
  [
    'a value in a map, whose keys are not fields',
    { headers: { 'X-A': 1 } },
    'headers',
    "Invalid value for 'headers.X-A': expected a string.",
  ],
])('the error for %s names its path', (_, fields, param, message) => {
  expect(faultsOf(fields)).toEqual([{ param, message }]);
});

test('every fault is explained, unknown fields first', () => {
  const faults = faultsOf({
    render_js: 'yes',
    ...third({ click: { selector: 1, selecter: 2 } }),
    formt: 'html',
  });
  expect(faults.map(({ param }) => param)).toEqual([
    'formt',
    `${AT}.click.selecter`,
    'render_js',
    `${AT}.click.selector`,
  ]);
});
