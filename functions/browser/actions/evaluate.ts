import { Script } from 'node:vm';
import type { Protocol } from 'puppeteer-core';
import { isDeeperThan } from '../../../shared/domain/json-depth.ts';
import type { StepOf } from '../../../shared/domain/scenario/steps.ts';
import { GROUP } from './find.ts';
import type { Hands } from './hands.ts';
import { StepFailure } from './step-failure.ts';

/** Of a result as JSON. */
const MAX_RESULT = 1_000_000;
const MAX_ERROR = 500;
/** Readers and writers of JSON take more levels. */
const MAX_DEPTH = 512;
const NOT_JSON = 'the result of the script cannot be written as JSON';

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

async function run({ pace, send, session, signal }: Hands, script: string): Promise<unknown> {
  const expression = inList(script);
  const common = { awaitPromise: true, objectGroup: GROUP };
  const asked = { expression: expression ?? script, userGesture: true, ...common };
  const { result, exceptionDetails } = await pace.during(send('Runtime.evaluate', asked));
  if (exceptionDetails) throw thrown(exceptionDetails);
  if (result.objectId === undefined) return limited(result.value);
  const written = await pace
    .during(
      send('Runtime.callFunctionOn', {
        objectId: result.objectId,
        functionDeclaration: writer(expression === undefined ? 'this' : 'await this[0]'),
        returnByValue: true,
        ...common,
      }),
    )
    .catch((error: unknown) => {
      if (signal.aborted || session.detached) throw error;
    });
  // It has run, and led away from its world.
  if (!written) return undefined;
  if (written.exceptionDetails) throw thrown(written.exceptionDetails);
  return parsed(written.result.value);
}

/** Blocks and declarations, which would be something else as expressions; comments may come before. */
const STATEMENT = /^(?:\s|\/\/.*\n|\/\*[^]*?\*\/)*(?:\{|function\b|class\b|async\s+function\b)/;

/** A string is sent whole, an object by reference: a list of one is measured in the page first. */
function inList(script: string): string | undefined {
  const text = script.replace(/[\s;]+$/, '');
  if (STATEMENT.test(text)) return undefined;
  const expression = `[(\n${text}\n)]`;
  try {
    // Parsed only: it never runs here.
    void new Script(expression);
    return expression;
  } catch {
    return undefined;
  }
}

/** Writes a value as JSON in the page: 1 without a value, 2 if it is none, 3 if it is too large. */
const writer = (value: string) => `async function () {
  const value = ${value};
  if (typeof value === 'string' && value.length > ${MAX_RESULT}) return 3;
  let text;
  try { text = JSON.stringify(value); } catch { return 2; }
  if (text === undefined) return 1;
  return typeof text !== 'string' ? 2 : text.length > ${MAX_RESULT} + 2 ? 3 : text;
}`;

/** The page may have replaced what writes JSON. */
function parsed(written: unknown): unknown {
  if (written === 1) return undefined;
  if (written === 3) throw tooLarge();
  if (typeof written !== 'string') throw new StepFailure(NOT_JSON);
  if (written.length > MAX_RESULT + 2) throw tooLarge();
  try {
    const value = JSON.parse(written) as unknown;
    if (!isDeeperThan(MAX_DEPTH, value)) return value;
  } catch {
    throw new StepFailure(NOT_JSON);
  }
  throw new StepFailure(`the result of the script is nested more than ${MAX_DEPTH} deep`);
}

function thrown({ exception, text }: Protocol.Runtime.ExceptionDetails): StepFailure {
  const words =
    exception?.description ?? (exception && 'value' in exception ? String(exception.value) : text);
  return new StepFailure(`the script threw ${words.slice(0, MAX_ERROR)}`);
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
