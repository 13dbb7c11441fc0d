import { z } from 'zod';
import { traits } from './field-traits.ts';
import type { Condition } from '../conditions.ts';
import { PictureType } from './picture.ts';
import { everyIn, Instruction, listsIn, MAX_DEPTH, MAX_INSTRUCTIONS } from './scenario.ts';

/** What to do on a page once it is ready. */
export const JsScenario = z
  .strictObject({
    instructions: z
      .array(Instruction)
      .min(1)
      .max(MAX_INSTRUCTIONS)
      .describe('What to do, one after another.'),
    strict: z
      .boolean()
      .optional()
      .describe('Whether an instruction that fails ends the scrape with `scenario_failed`. Absent: true.'),
  })
  .superRefine(({ instructions }, context) => {
    // An unknown action is reported by its name.
    if (context.issues.length > 0) return;
    const seen = { count: 0 };
    check(instructions, ['instructions'], 1, seen, (message, path) =>
      context.addIssue({ code: 'custom', message, path }),
    );
    if (seen.count > MAX_INSTRUCTIONS)
      context.addIssue({
        code: 'custom',
        message: 'more than 500 instructions in all',
        path: ['instructions'],
      });
  });
export type JsScenario = z.infer<typeof JsScenario>;

export const jsScenario = JsScenario.optional()
  .describe(
    'What to do on the page once it is ready: clicks, forms, waiting. Only with `render_js`, which is then true if absent. Only in the JSON body of a POST.',
  )
  .meta({ examples: [{ instructions: [{ click: 'text=Accept' }, { wait_for: '#prices' }] }] })
  .register(traits, { in: 'body', secret: true });

/** Whether a scenario has a `screenshot` anywhere. */
export const takesPictures = (scenario: JsScenario | undefined): boolean =>
  everyIn(scenario?.instructions ?? []).some(({ screenshot }) => screenshot !== undefined);

type Asked = { js_scenario?: JsScenario | undefined; format?: string | undefined };

export const scenarioConditions: readonly Condition<Asked>[] = [
  {
    name: 'js_scenario',
    error: 'has a screenshot, which is only allowed with format=json',
    isMet: ({ js_scenario: scenario, format }) => format === 'json' || !takesPictures(scenario),
  },
];

type Path = (string | number)[];
type Report = (message: string, path: Path) => void;

/** Each has one action, and none is nested too deep. */
function check(
  list: readonly Instruction[],
  path: Path,
  depth: number,
  seen: { count: number },
  report: Report,
) {
  for (const [index, instruction] of list.entries()) {
    const own = [...path, index];
    seen.count += 1;
    const actions = Object.entries(instruction).filter(([, value]) => value !== undefined);
    if (actions.length !== 1)
      report(actions.length === 0 ? 'expected an action, such as click' : 'expected exactly one action', own);
    const nested = listsIn(instruction);
    if (nested.length > 0 && depth >= MAX_DEPTH) report(`nested more than ${MAX_DEPTH} deep`, own);
    else for (const { path, list } of nested) check(list, [...own, ...path], depth + 1, seen, report);
  }
}

const StepReport = z.object({
  index: z.int().describe('The place of the instruction in `instructions`, from 0.'),
  path: z.string().describe('Its full path: `instructions[2].repeat.do[0]`.'),
  step: z.string().describe('Its action.'),
  status: z.enum(['ok', 'skipped', 'failed']).describe('`skipped`: it failed and is `optional`.'),
  ms: z.int().describe('How long it took.'),
  url: z.string().describe("The page's URL afterwards, without its query."),
  error: z.string().optional().describe('Why it failed.'),
  result: z.unknown().optional().describe('What `evaluate` returned.'),
  screenshot: z
    .object({
      name: z.string(),
      type: PictureType,
      width: z.int(),
      height: z.int(),
      base64: z.string(),
    })
    .optional()
    .describe('What `screenshot` took.'),
  opened: z
    .array(z.string())
    .optional()
    .describe('URLs of windows that the page tried to open. They were not opened.'),
});
export type StepReport = z.infer<typeof StepReport>;

export const ScenarioReport = z.object({
  ok: z.boolean().describe('Whether no instruction failed.'),
  steps: z.array(StepReport),
  omitted: z
    .int()
    .optional()
    .describe('Number of earlier steps omitted. A job keeps the last 100 of its report.'),
});
export type ScenarioReport = z.infer<typeof ScenarioReport>;

/** A report in numbers, for a header and for the record of a job. */
export const ScenarioCounts = z.object({ steps: z.int(), ok: z.int(), skipped: z.int(), failed: z.int() });
export type ScenarioCounts = z.infer<typeof ScenarioCounts>;

export function stepCounts({ steps }: ScenarioReport): ScenarioCounts {
  const count = (wanted: StepReport['status']) => steps.filter(({ status }) => status === wanted).length;
  return { steps: steps.length, ok: count('ok'), skipped: count('skipped'), failed: count('failed') };
}
