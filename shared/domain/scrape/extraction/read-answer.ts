import { isJsonObject } from '../../../contract/json-object.ts';
import { isDeeperThan } from '../../json-depth.ts';

export type Values = Record<string, unknown>;

/** Deeper ones are of no schema that is accepted, unless it refers to itself. */
const MAX_DEPTH = 64;
/** Of braces that begin no JSON. */
const MAX_OBJECTS = 50;

/** What some models think before they answer. */
const THOUGHTS = /^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/;

/**
 * The JSON objects of an answer, the last first, as the last is what a model has settled on. Prose and code
 * fences may surround them. An object that is cut off is none, and neither is one within another.
 */
export function objectsIn(answer: string): Values[] {
  const text = answer.replace(THOUGHTS, '').trim();
  const whole = parsed(text);
  if (whole !== undefined)
    return [whole]
      .flat()
      .filter(isJsonObject)
      .filter((_, __, all) => all.length === 1);
  const found: Values[] = [];
  let from = text.indexOf('{');
  for (let count = 0; from >= 0 && count < MAX_OBJECTS; count += 1) {
    const end = endOf(text, from);
    if (end === undefined) break;
    const object = parsed(text.slice(from, end));
    if (isJsonObject(object)) found.unshift(object);
    from = text.indexOf('{', end);
  }
  return found;
}

/** Where the braces close that open at `from`. */
function endOf(text: string, from: number): number | undefined {
  let depth = 0;
  let isString = false;
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (isString && sign === '\\') at += 1;
    else if (sign === '"') isString = !isString;
    else if (isString) continue;
    else if (sign === '{') depth += 1;
    else if (sign === '}' && --depth === 0) return at + 1;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text, asWritten);
    return isDeeperThan(MAX_DEPTH, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** JSON has no number such as 1e999, which would be written as null. A name `__proto__` would be lost. */
function asWritten(name: string, value: unknown): unknown {
  if (value === Infinity || value === -Infinity) throw new RangeError('The number is too large.');
  return name === '__proto__' ? undefined : value;
}
