import { Element } from 'domhandler';
import {
  type Context,
  isAttribute,
  type Node,
  stringOf,
  toBoolean,
  toNumber,
  toText,
  type Value,
} from './xpath-values.ts';

type Call = { least: number; most: number; apply: (args: readonly Value[], context: Context) => Value };

const text = (args: readonly Value[], index: number) => toText(args[index] ?? '');
/** Of its argument, or of the context without one. */
const own = (args: readonly Value[], { node }: Context) => (args.length > 0 ? text(args, 0) : stringOf(node));
const SPACES = /[ \t\r\n]+/g;

/** https://www.w3.org/TR/1999/REC-xpath-19991116/#corelib without `id`, `lang` and `namespace-uri`. */
export const FUNCTIONS: Readonly<Record<string, Call>> = {
  position: call(0, 0, (_, { position }) => position),
  last: call(0, 0, (_, { size }) => size),
  count: call(1, 1, ([set]) => nodes(set).length),
  sum: call(1, 1, ([set]) => nodes(set).reduce((sum, node) => sum + toNumber(stringOf(node)), 0)),
  name: call(0, 1, (args, { node }) => nameOf(args[0] === undefined ? node : nodes(args[0])[0])),
  string: call(0, 1, own),
  concat: call(2, 100, (args) => args.map(toText).join('')),
  'starts-with': call(2, 2, (args) => text(args, 0).startsWith(text(args, 1))),
  contains: call(2, 2, (args) => text(args, 0).includes(text(args, 1))),
  'substring-before': call(2, 2, (args) => before(text(args, 0), text(args, 1))),
  'substring-after': call(2, 2, (args) => after(text(args, 0), text(args, 1))),
  substring: call(2, 3, ([value = '', start = 1, length]) =>
    part(toText(value), toNumber(start), length === undefined ? Number.POSITIVE_INFINITY : toNumber(length)),
  ),
  'string-length': call(0, 1, (args, context) => own(args, context).length),
  'normalize-space': call(0, 1, (args, context) =>
    own(args, context).replace(SPACES, ' ').replace(/^ | $/g, ''),
  ),
  translate: call(3, 3, (args) => translated(text(args, 0), text(args, 1), text(args, 2))),
  boolean: call(1, 1, ([value = false]) => toBoolean(value)),
  not: call(1, 1, ([value = false]) => !toBoolean(value)),
  true: call(0, 0, () => true),
  false: call(0, 0, () => false),
  number: call(0, 1, ([value], { node }) => toNumber(value ?? stringOf(node))),
  floor: call(1, 1, ([value = 0]) => Math.floor(toNumber(value))),
  ceiling: call(1, 1, ([value = 0]) => Math.ceil(toNumber(value))),
  round: call(1, 1, ([value = 0]) => Math.round(toNumber(value))),
};

function call(least: number, most: number, apply: Call['apply']): Call {
  return { least, most, apply };
}

function nodes(value: Value | undefined): Node[] {
  if (!Array.isArray(value)) throw new TypeError('expected nodes');
  return value;
}

function nameOf(node: Node | undefined): string {
  return node && (isAttribute(node) || node instanceof Element) ? node.name : '';
}

const before = (value: string, mark: string) => value.slice(0, Math.max(0, value.indexOf(mark)));

function after(value: string, mark: string): string {
  const index = value.indexOf(mark);
  return index < 0 ? '' : value.slice(index + mark.length);
}

/** Positions count from 1, and are rounded: https://www.w3.org/TR/1999/REC-xpath-19991116/#function-substring */
function part(value: string, start: number, length: number): string {
  const first = Math.round(start);
  const end = first + Math.round(length);
  return Array.from(value)
    .filter((_, index) => index + 1 >= first && index + 1 < end)
    .join('');
}

function translated(value: string, from: string, to: string): string {
  const others = Array.from(to);
  const table = new Map(Array.from(from, (each, index) => [each, others[index] ?? ''] as const).toReversed());
  return Array.from(value, (each) => table.get(each) ?? each).join('');
}
