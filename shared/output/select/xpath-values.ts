import { type AnyNode, isText } from 'domhandler';
import type { Element } from 'domhandler';

/** XPath's attributes are nodes; the tree has them as values. */
export type Attribute = { owner: Element; name: string; value: string };
export type Node = AnyNode | Attribute;
/** https://www.w3.org/TR/1999/REC-xpath-19991116/#section-Expressions */
export type Value = Node[] | string | number | boolean;
export type Context = { node: Node; position: number; size: number };
export type Expression = (context: Context) => Value;

export const isAttribute = (node: Node): node is Attribute => 'owner' in node;

/** https://www.w3.org/TR/1999/REC-xpath-19991116/#dt-string-value */
export function stringOf(node: Node): string {
  if (isAttribute(node)) return node.value;
  return 'data' in node ? node.data : textBelow(node);
}

function textBelow(node: AnyNode): string {
  if (isText(node)) return node.data;
  if (!('children' in node)) return '';
  const [only] = node.children;
  if (only && node.children.length === 1) return textBelow(only);
  return node.children.map(textBelow).join('');
}

export function toText(value: Value): string {
  if (Array.isArray(value)) return value[0] ? stringOf(value[0]) : '';
  return Object.is(value, -0) ? '0' : String(value);
}

const NUMBER = /^[ \t\r\n]*-?(?:\d+(?:\.\d*)?|\.\d+)[ \t\r\n]*$/;

export function toNumber(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  const text = toText(value);
  return NUMBER.test(text) ? Number(text) : Number.NaN;
}

export function toBoolean(value: Value): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

type Compare = (one: number | string | boolean, other: number | string | boolean) => boolean;

/** `=` and `!=`: https://www.w3.org/TR/1999/REC-xpath-19991116/#booleans */
export function isEqual(one: Value, other: Value, isNegated: boolean): boolean {
  const compare: Compare = (a, b) => (a === b) !== isNegated;
  if (typeof one === 'boolean' || typeof other === 'boolean')
    return compare(toBoolean(one), toBoolean(other));
  const asNumber = typeof one === 'number' || typeof other === 'number';
  const cast = asNumber ? toNumber : toText;
  return each(one).some((a) => each(other).some((b) => compare(cast(a), cast(b))));
}

/** `<`, `<=`, `>` and `>=` compare numbers. */
export function isRelated(one: Value, other: Value, compare: (a: number, b: number) => boolean): boolean {
  const isBoolean = typeof one === 'boolean' || typeof other === 'boolean';
  const cast = (value: Value) => (isBoolean ? [toBoolean(value)] : each(value));
  return cast(one).some((a) => cast(other).some((b) => compare(toNumber(a), toNumber(b))));
}

/** A set of nodes is compared node by node. */
const each = (value: Value): (string | number | boolean)[] =>
  Array.isArray(value) ? value.map(stringOf) : [value];
