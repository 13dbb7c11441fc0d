import type { StepOf } from '../../../shared/domain/scenario/steps.ts';
import { GROUP } from './find.ts';
import type { Hands } from './hands.ts';
import { StepFailure } from './step-failure.ts';

/** Of a result as JSON. */
const MAX_RESULT = 1_000_000;
const MAX_ERROR = 500;

/** Runs the caller's script in the page's own world. */
export async function evaluate(hands: Hands, { script }: StepOf<'evaluate'>): Promise<unknown> {
  const { documents } = hands.activity;
  const before = documents();
  try {
    return await run(hands, script);
  } catch (error) {
    if (error instanceof StepFailure || hands.signal.aborted || hands.session.detached) throw error;
    // A script that navigates has no result: its world is gone.
    if (documents() !== before || hands.sightings.isLeaving()) return undefined;
    throw error;
  }
}

async function run({ pace, send }: Hands, expression: string): Promise<unknown> {
  const asked = { expression, awaitPromise: true, userGesture: true, objectGroup: GROUP };
  const { result, exceptionDetails } = await pace.during(send('Runtime.evaluate', asked));
  if (exceptionDetails) {
    const { exception, text } = exceptionDetails;
    const words =
      exception?.description ?? (exception && 'value' in exception ? String(exception.value) : text);
    throw new StepFailure(`the script threw ${words.slice(0, MAX_ERROR)}`);
  }
  if (result.objectId === undefined) return limited(result.value);
  const json = await send('Runtime.callFunctionOn', {
    objectId: result.objectId,
    functionDeclaration: `function () { const text = JSON.stringify(this); return text?.length > ${MAX_RESULT} ? null : (text ?? ''); }`,
    returnByValue: true,
  });
  if (json.exceptionDetails) throw new StepFailure('the result of the script cannot be written as JSON');
  if (json.result.value === null) throw tooLarge();
  return json.result.value === '' ? undefined : (JSON.parse(String(json.result.value)) as unknown);
}

function limited(value: unknown): unknown {
  if (typeof value === 'string' && value.length > MAX_RESULT) throw tooLarge();
  return value;
}

const tooLarge = () => new StepFailure('the result of the script is larger than 1 MB');

/** Runs our own expression in a world that the page does not see. */
export async function inPage({ worlds, mainFrame, send }: Hands, expression: string): Promise<unknown> {
  const contextId = await worlds.of(mainFrame);
  const { result } = await send('Runtime.evaluate', { expression, contextId, returnByValue: true });
  return result.value as unknown;
}
