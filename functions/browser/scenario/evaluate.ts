import type { Protocol } from 'puppeteer-core';
import { isDeeperThan } from '../../../shared/domain/json-depth.ts';
import type { StepOf } from '../../../shared/domain/scrape/scenario/steps.ts';
import { boxedScript } from './boxed-script.ts';
import { GROUP } from '../page/find.ts';
import { pageScript } from '../page/page-script.ts';
import type { ScenarioContext } from './scenario-context.ts';
import { isExplained, StepFailure } from './step-failure.ts';

/** Of a result as JSON. */
const MAX_RESULT = 1_000_000;
const MAX_ERROR = 500;
/** Readers and writers of JSON take more levels. */
const MAX_DEPTH = 512;
/** By name: the page may have replaced what spreads arguments. */
const WRITER = `function (maxResult, maxError) { return ${pageScript('result')}.write(this, maxResult, maxError); }`;
const NOT_JSON = 'the result of the script cannot be written as JSON';

/** Runs the caller's script in the page's own world. */
export async function evaluate(context: ScenarioContext, { script }: StepOf<'evaluate'>): Promise<unknown> {
  const { documents } = context.activity;
  const before = documents();
  try {
    return await run(context, script);
  } catch (error) {
    if (isExplained(error) || context.signal.aborted || context.session.detached) throw error;
    // A script that navigates has no result: its world is gone.
    if (documents() !== before || context.pageEvents.isLeaving()) return undefined;
    throw error;
  }
}

async function run({ pageTime, send, session, signal }: ScenarioContext, script: string): Promise<unknown> {
  const asked = { expression: boxedScript(script), userGesture: true, objectGroup: GROUP };
  const { result, exceptionDetails } = await pageTime.during(send('Runtime.evaluate', asked));
  if (exceptionDetails) throw threw(wordsOf(exceptionDetails));
  // It ends without a value.
  if (result.objectId === undefined) return undefined;
  const written = await pageTime
    .during(
      send('Runtime.callFunctionOn', {
        objectId: result.objectId,
        functionDeclaration: WRITER,
        arguments: [{ value: MAX_RESULT }, { value: MAX_ERROR }],
        returnByValue: true,
        awaitPromise: true,
        objectGroup: GROUP,
      }),
    )
    .catch((error: unknown) => {
      if (signal.aborted || session.detached) throw error;
    });
  // It has run, and led away from its world.
  if (!written) return undefined;
  if (written.exceptionDetails) throw threw(wordsOf(written.exceptionDetails));
  return parsed(written.result.value);
}

/** The page may have replaced what writes JSON. */
function parsed(written: unknown): unknown {
  if (written === 1) return undefined;
  if (written === 3) throw tooLarge();
  if (typeof written !== 'string') throw new StepFailure(NOT_JSON);
  const text = written.slice(1);
  if (written.startsWith('!')) throw threw(text);
  if (text.length > MAX_RESULT + 2) throw tooLarge();
  try {
    const value = JSON.parse(text) as unknown;
    if (!isDeeperThan(MAX_DEPTH, value)) return value;
  } catch {
    throw new StepFailure(NOT_JSON);
  }
  throw new StepFailure(`the result of the script is nested more than ${MAX_DEPTH} deep`);
}

function wordsOf({ exception, text }: Protocol.Runtime.ExceptionDetails): string {
  return exception?.description ?? (exception && 'value' in exception ? String(exception.value) : text);
}

const threw = (words: string) => new StepFailure(`the script threw ${words.slice(0, MAX_ERROR)}`);

const tooLarge = () => new StepFailure('the result of the script is larger than 1 MB');
