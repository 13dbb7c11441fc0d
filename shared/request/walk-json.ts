import type { Path } from './schema-at.ts';

/** A name in a JSON text, `isOuter` of its outermost object. `path` is slow, so it is computed on demand. */
export type JsonName = { name: string; isOuter: boolean; isRepeated: boolean; path: () => Path };

/** One token by its kind: https://www.rfc-editor.org/rfc/rfc8259#section-2 */
const TOKEN =
  /(?<text>"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\uffff]*)*")|(?<scalar>-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|(?<sign>[{}[\]:,])/y;
const SPACE = /[ \t\n\r]*/y;

/** An object or list that is still open; `names` only of an object. */
type Open = { names?: Set<string>; key: PropertyKey };
type Expected = 'value' | 'first value' | 'first name' | 'name' | ':' | 'next' | 'end';

/**
 * Visits every name in a JSON text, without recursion, which a deep text could exhaust. Returns the offset of
 * the first character that JSON or the depth does not allow there, or undefined for valid JSON.
 */
export function walkJson(
  json: string,
  visit: (name: JsonName) => void,
  maxDepth = Infinity,
): number | undefined {
  const open: Open[] = [];
  let expected: Expected = 'value';
  for (let at = 0; ; at = TOKEN.lastIndex) {
    const start = skipSpace(json, at);
    if (start === json.length) return expected === 'end' ? undefined : start;
    TOKEN.lastIndex = start;
    const { text, scalar, sign } = TOKEN.exec(json)?.groups ?? {};
    if (text !== undefined && NAMES.includes(expected)) visit(named(open, text));
    const next: Expected | undefined = VALUES.includes(expected)
      ? afterValueStart(open, expected, text ?? scalar, sign)
      : afterMark(open, expected, text, sign);
    if (next === undefined || open.length > maxDepth) return start;
    expected = next;
  }
}

const VALUES: readonly Expected[] = ['value', 'first value'];
const NAMES: readonly Expected[] = ['name', 'first name'];

function afterValueStart(
  open: Open[],
  expected: Expected,
  value: string | undefined,
  sign: string | undefined,
): Expected | undefined {
  if (value !== undefined) return afterValue(open);
  if (sign === '{') return enter(open, { names: new Set(), key: '' }, 'first name');
  if (sign === '[') return enter(open, { key: 0 }, 'first value');
  return expected === 'first value' && sign === ']' ? leave(open) : undefined;
}

function afterMark(
  open: Open[],
  expected: Expected,
  text: string | undefined,
  sign: string | undefined,
): Expected | undefined {
  if (NAMES.includes(expected) && text !== undefined) return ':';
  if (expected === 'first name' && sign === '}') return leave(open);
  if (expected === ':' && sign === ':') return 'value';
  if (expected !== 'next') return undefined;
  const frame = open.at(-1);
  if (sign === ',') return frame?.names ? 'name' : nextEntry(frame);
  return sign === (frame?.names ? '}' : ']') ? leave(open) : undefined;
}

function named(open: readonly Open[], text: string): JsonName {
  const name = JSON.parse(text) as string;
  const frame = open.at(-1);
  const isRepeated = frame?.names?.has(name) ?? false;
  if (frame) frame.key = name;
  frame?.names?.add(name);
  return { name, isOuter: open.length === 1, isRepeated, path: () => open.map(({ key }) => key) };
}

function nextEntry(frame: Open | undefined): Expected {
  if (frame) frame.key = Number(frame.key) + 1;
  return 'value';
}

function enter(open: Open[], frame: Open, next: Expected): Expected {
  open.push(frame);
  return next;
}

function leave(open: Open[]): Expected {
  open.pop();
  return afterValue(open);
}

function afterValue(open: readonly Open[]): Expected {
  return open.length === 0 ? 'end' : 'next';
}

function skipSpace(json: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(json);
  return SPACE.lastIndex;
}
