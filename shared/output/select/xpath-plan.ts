import xpath, { type Parsed } from 'xpath';
import type { PageIndex } from './page-index.ts';
import { FUNCTIONS } from './xpath-functions.ts';
import { type Axis, filtered, ordered, type Step, type Test, walk } from './xpath-steps.ts';
import {
  type Context,
  type Expression,
  isEqual,
  isRelated,
  type Node,
  toBoolean,
  toNumber,
  type Value,
} from './xpath-values.ts';

/** Thrown for what the package alone evaluates, such as variables, namespaces and the axis `following`. */
class NotPlanned extends Error {}

/** Evaluates what the package has parsed over the index of a page. Undefined if it has a rare part. */
export function planOf(parsed: Parsed, index: PageIndex): Expression | undefined {
  try {
    return expression(parsed, index);
  } catch (error) {
    if (error instanceof NotPlanned) return undefined;
    throw error;
  }
}

type Operator = (one: Value, other: Value) => Value;
const number =
  (apply: (a: number, b: number) => number): Operator =>
  (a, b) =>
    apply(toNumber(a), toNumber(b));
const relation =
  (apply: (a: number, b: number) => boolean): Operator =>
  (a, b) =>
    isRelated(a, b, apply);

const OPERATORS: readonly [abstract new (...args: never) => object, Operator][] = [
  [xpath.EqualsOperation, (a, b) => isEqual(a, b, false)],
  [xpath.NotEqualOperation, (a, b) => isEqual(a, b, true)],
  [xpath.LessThanOperation, relation((a, b) => a < b)],
  [xpath.GreaterThanOperation, relation((a, b) => a > b)],
  [xpath.LessThanOrEqualOperation, relation((a, b) => a <= b)],
  [xpath.GreaterThanOrEqualOperation, relation((a, b) => a >= b)],
  [xpath.PlusOperation, number((a, b) => a + b)],
  [xpath.MinusOperation, number((a, b) => a - b)],
  [xpath.MultiplyOperation, number((a, b) => a * b)],
  [xpath.DivOperation, number((a, b) => a / b)],
  [xpath.ModOperation, number((a, b) => a % b)],
];

function expression(parsed: Parsed, index: PageIndex): Expression {
  if (parsed instanceof xpath.PathExpr) return path(parsed, index);
  if (parsed instanceof xpath.XString) return constant(parsed.str);
  if (parsed instanceof xpath.XNumber) return constant(parsed.num);
  if (parsed instanceof xpath.FunctionCall) return call(parsed, index);
  if (parsed instanceof xpath.UnaryMinusOperation) {
    const operand = expression(parsed.rhs, index);
    return (context) => -toNumber(operand(context));
  }
  return operation(parsed, index);
}

const constant = (value: Value) => () => value;

function operation(parsed: Parsed, index: PageIndex): Expression {
  const { lhs, rhs } = parsed as { lhs?: Parsed; rhs?: Parsed };
  if (!lhs || !rhs) throw new NotPlanned();
  const [one, other] = [expression(lhs, index), expression(rhs, index)];
  if (parsed instanceof xpath.OrOperation)
    return (context) => toBoolean(one(context)) || toBoolean(other(context));
  if (parsed instanceof xpath.AndOperation)
    return (context) => toBoolean(one(context)) && toBoolean(other(context));
  if (parsed instanceof xpath.BarOperation)
    return (context) => ordered([nodes(one(context)), nodes(other(context))]);
  const operator = OPERATORS.find(([kind]) => parsed instanceof kind)?.[1];
  if (!operator) throw new NotPlanned();
  return (context) => operator(one(context), other(context));
}

function nodes(value: Value): Node[] {
  if (!Array.isArray(value)) throw new TypeError('expected nodes');
  return value;
}

function call(
  { functionName, arguments: parsed }: InstanceType<typeof xpath.FunctionCall>,
  index: PageIndex,
): Expression {
  const known = Object.hasOwn(FUNCTIONS, functionName) ? FUNCTIONS[functionName] : undefined;
  if (!known || parsed.length < known.least || parsed.length > known.most) throw new NotPlanned();
  const args = parsed.map((each) => expression(each, index));
  return (context) =>
    known.apply(
      args.map((argument) => argument(context)),
      context,
    );
}

function path(
  { filter, filterPredicates, locationPath }: InstanceType<typeof xpath.PathExpr>,
  index: PageIndex,
): Expression {
  const steps = (locationPath?.steps ?? []).map((each) => step(each, index));
  const predicates = (filterPredicates ?? []).map((each) => expression(each, index));
  const start = filter && expression(filter, index);
  const isAbsolute = locationPath?.absolute === true && !filter;
  if (!start) return (context) => walk(steps, [isAbsolute ? index.document : context.node], index);
  return (context: Context) => {
    const value = start(context);
    if (predicates.length === 0 && steps.length === 0) return value;
    return walk(steps, filtered(nodes(value), predicates), index);
  };
}

function step({ axis, nodeTest, predicates }: InstanceType<typeof xpath.Step>, index: PageIndex): Step {
  const name = xpath.Step.STEPNAMES[axis];
  if (!AXES.has(name ?? '')) throw new NotPlanned();
  return {
    axis: name as Axis,
    test: testOf(String(nodeTest)),
    predicates: predicates.map((each) => expression(each, index)),
    isPositional: predicates.some(isPositional),
    id: predicates.map(idIn).find((id) => id !== undefined),
  };
}

/** Of `@id='main'`. The package takes a text for a path that begins with it. */
function idIn(predicate: Parsed): string | undefined {
  if (!(predicate instanceof xpath.EqualsOperation)) return undefined;
  const { lhs, rhs } = predicate as { lhs?: Parsed; rhs?: Parsed };
  if (!(lhs instanceof xpath.PathExpr && rhs instanceof xpath.PathExpr) || !isId(lhs)) return undefined;
  const isText = !rhs.locationPath && !rhs.filterPredicates?.length;
  return isText && rhs.filter instanceof xpath.XString ? rhs.filter.str : undefined;
}

function isId({ filter, locationPath }: InstanceType<typeof xpath.PathExpr>): boolean {
  const [step, second] = locationPath?.steps ?? [];
  if (!step || second || filter || locationPath?.absolute) return false;
  const isAttribute = xpath.Step.STEPNAMES[step.axis] === 'attribute' && step.predicates.length === 0;
  return isAttribute && String(step.nodeTest) === 'id';
}

const AXES: ReadonlySet<string> = new Set(
  'ancestor ancestor-or-self attribute child descendant descendant-or-self following-sibling parent preceding-sibling self'.split(
    ' ',
  ),
);
const KINDS = new Map<string, Test>([
  ['*', { kind: 'any' }],
  ['text()', { kind: 'text' }],
  ['comment()', { kind: 'comment' }],
  ['node()', { kind: 'node' }],
]);

/** Names of HTML have no upper case. */
function testOf(text: string): Test {
  const kind = KINDS.get(text);
  if (kind) return kind;
  if (!/^[\w.-]+$/.test(text)) throw new NotPlanned();
  return { name: text.toLowerCase() };
}

/** Whether a predicate may count positions. */
function isPositional(predicate: Parsed): boolean {
  if (/\b(?:position|last)\(\)/.test(String(predicate))) return true;
  if (predicate instanceof xpath.FunctionCall) return !CONDITIONS.has(predicate.functionName);
  if (predicate instanceof xpath.PathExpr) return predicate.filter !== undefined;
  return !COMPARISONS.some((kind) => predicate instanceof kind);
}

const CONDITIONS: ReadonlySet<string> = new Set([
  'contains',
  'starts-with',
  'not',
  'boolean',
  'true',
  'false',
]);
const COMPARISONS = [xpath.OrOperation, xpath.AndOperation, ...OPERATORS.slice(0, 6).map(([kind]) => kind)];
