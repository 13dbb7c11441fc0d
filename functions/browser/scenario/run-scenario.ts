import type { JsScenario, ScenarioReport, StepReport } from '../../../shared/contract/scrape/js-scenario.ts';
import type { Instruction } from '../../../shared/contract/scrape/scenario.ts';
import { failureOf } from '../../../shared/domain/scrape/scenario/failure.ts';
import { type Step, type StepOf, stepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { AppError } from '../../../shared/errors.ts';
import { untilAborted } from '../../../shared/time/until-aborted.ts';
import { GROUP, isShown } from '../page/find.ts';
import { type Act, actions, isPassive } from './actions.ts';
import { evaluateIsolated } from '../page/isolated-worlds.ts';
import type { ScenarioContext } from './scenario-context.ts';
import { pollUntil } from './poll-until.ts';
import { type OpenReport, shownUrl } from './report.ts';
import { isExplained, StepFailure } from './step-failure.ts';
import { follow } from './waits.ts';

/** Rounds of `repeat` included. */
const MAX_STEPS = 2_000;
const MAX_ROUNDS = 100;
/** Of all results and pictures together, as JSON. */
const MAX_RESULTS = 4_000_000;
const TOO_LARGE =
  'the pictures and results of the scenario are larger than 4 MB together; a jpeg or webp is smaller';
const OVER = "the request's time ran out";

type Run = { context: ScenarioContext; report: OpenReport; isStrict: boolean; results: number };
/** The reported values of a step. */
type Outcome = Pick<StepReport, 'result' | 'screenshot'>;
/** Where an instruction stands. */
type Place = { index: number; path: string };

/** Runs until the end of the scenario or of its time. Throws `scenario_failed` if it is strict. */
export async function runScenario(
  context: ScenarioContext,
  { instructions, strict: isStrict = true }: JsScenario,
  report: OpenReport,
): Promise<ScenarioReport> {
  await context.session.send('DOM.enable');
  await runAll({ context, report, isStrict, results: 0 }, instructions, 'instructions');
  return report.soFar();
}

/** False if the scenario ends here. */
async function runAll(run: Run, list: readonly Instruction[], path: string, top?: number): Promise<boolean> {
  for (const [at, instruction] of list.entries()) {
    const place = { index: top ?? at, path: `${path}[${at}]` };
    const goesOn = await runOne(run, stepOf(instruction), place);
    if (!goesOn) return false;
  }
  return true;
}

async function runOne(run: Run, step: Step, place: Place): Promise<boolean> {
  if (step.action === 'if') return choose(run, step, place);
  if (step.action === 'repeat') return repeat(run, step, place);
  if (step.action === 'exit') {
    await attempt(run, step, place, () => Promise.resolve({}));
    return false;
  }
  run.context.pageEvents.startStep();
  run.context.expectNavigation();
  return attempt(run, step, place, async () => {
    const value = await perform(run.context, step);
    if (!isPassive(step.action)) await follow(run.context);
    return reported(run, step, value);
  });
}

function perform<A extends Act>(context: ScenarioContext, step: StepOf<A>): Promise<unknown> {
  const act = actions[step.action] as (context: ScenarioContext, step: StepOf<A>) => Promise<unknown>;
  return act(context, step);
}

async function choose(run: Run, step: StepOf<'if'>, place: Place): Promise<boolean> {
  const { selector, timeout = 0 } = step;
  const seen = { isThere: false };
  const goesOn = await attempt(run, step, place, async () => {
    seen.isThere = await sees(run.context, selector, timeout);
    return {};
  });
  if (!goesOn) return false;
  const [name, chosen] = seen.isThere ? (['then', step.then] as const) : (['else', step.else ?? []] as const);
  return runAll(run, chosen, `${place.path}.if.${name}`, place.index);
}

async function repeat(run: Run, step: StepOf<'repeat'>, place: Place): Promise<boolean> {
  const { until, times = MAX_ROUNDS } = step;
  const sign = typeof until === 'string' ? { selector: until } : until;
  for (let left = times; left > 0; left -= 1) {
    const round = { isLast: false };
    const goesOn = await attempt(run, step, place, async () => {
      round.isLast =
        sign !== undefined && (await sees(run.context, sign.selector, 0)) !== (sign.gone ?? false);
      return {};
    });
    if (!goesOn) return false;
    if (round.isLast) return true;
    if (!(await runAll(run, step.do, `${place.path}.repeat.do`, place.index))) return false;
  }
  return true;
}

async function sees(context: ScenarioContext, selector: string, timeout: number): Promise<boolean> {
  const poll = async () => ((await isShown(context, selector)) ? { found: true } : { missing: selector });
  return pollUntil(context, { timeout }, poll).catch((error: unknown) => {
    if (!isExplained(error) || !error.message.startsWith(selector)) throw error;
    return false;
  });
}

/** Reports how an instruction went. False if the scenario cannot continue. */
async function attempt(
  run: Run,
  step: Step,
  { index, path }: Place,
  work: () => Promise<Outcome>,
): Promise<boolean> {
  const { context, report } = run;
  const end = (rest: Pick<StepReport, 'status' | 'error' | 'url'> & Outcome) => {
    const opened = context.pageEvents.opened().map(shownUrl);
    return report.end({ ...rest, ...(opened.length > 0 && { opened }) });
  };
  report.begin({ index, path, step: step.action });
  try {
    if (report.soFar().steps.length >= MAX_STEPS)
      throw new StepFailure(`there are more than ${MAX_STEPS} steps`);
    const outcome = await work();
    end({ status: 'ok', url: await urlOf(context), ...outcome });
    return true;
  } catch (error) {
    const words = wordsFor(error, context);
    const status = step.optional && !context.signal.aborted ? 'skipped' : 'failed';
    const failed = end({ status, error: report.redacted(words), url: await urlOf(context) });
    if (failed && status === 'failed' && run.isStrict) throw scenarioFailed(report.soFar());
    return !context.signal.aborted && report.soFar().steps.length < MAX_STEPS;
  } finally {
    context.session.send('Runtime.releaseObjectGroup', { objectGroup: GROUP }).catch(() => undefined);
  }
}

function wordsFor(error: unknown, { signal, session }: ScenarioContext): string {
  if (signal.aborted) return OVER;
  if (isExplained(error)) return error.message;
  if (error instanceof AppError || session.detached) throw error;
  return 'the page changed while this was done';
}

const scenarioFailed = (report: ScenarioReport) =>
  new AppError('scenario_failed', { message: failureOf(report), report });

function reported(run: Run, { action }: Step, value: unknown): Outcome {
  if (action !== 'evaluate' && action !== 'screenshot') return {};
  run.results += JSON.stringify(value ?? null).length;
  if (run.results > MAX_RESULTS) throw new StepFailure(TOO_LARGE);
  return action === 'evaluate' ? { result: value } : { screenshot: value as StepReport['screenshot'] };
}

/** The document's URL, if the page does not respond (for example, an endless script). */
async function urlOf(context: ScenarioContext): Promise<string> {
  const { signal, documentUrl } = context;
  if (signal.aborted) return shownUrl(documentUrl());
  return untilAborted(evaluateIsolated(context, 'location.href'), signal).then(
    (url) => shownUrl(String(url)),
    () => shownUrl(documentUrl()),
  );
}
