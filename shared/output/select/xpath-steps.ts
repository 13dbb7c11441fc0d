import { type AnyNode, Element, isComment, isText } from 'domhandler';
import { childrenOf as childNodesOf, lightParentOf } from '../../html/shadow-roots.ts';
import { isHtml } from '../../html/tree.ts';
import { type PageIndex, placeOf } from './page-index.ts';
import { type Expression, isAttribute, type Node, toBoolean } from './xpath-values.ts';

export type Axis =
  | 'ancestor'
  | 'ancestor-or-self'
  | 'attribute'
  | 'child'
  | 'descendant'
  | 'descendant-or-self'
  | 'following-sibling'
  | 'parent'
  | 'preceding-sibling'
  | 'self';

/** A name, or a kind of node. */
export type Test = { name: string } | { kind: 'any' | 'text' | 'comment' | 'node' };
export type Step = {
  axis: Axis;
  test: Test;
  predicates: readonly Expression[];
  isPositional: boolean;
  /** One of the predicates demands it. */
  id: string | undefined;
};

/** The nodes that a path leads to, each once, in the order of the document. */
export function walk(steps: readonly Step[], start: readonly Node[], index: PageIndex): Node[] {
  const [only, second] = steps;
  const [node] = start;
  if (only && !second && node && start.length === 1 && !BACKWARDS.has(only.axis))
    return from(node, only, index);
  return steps.reduce((nodes, step, at) => {
    // `//a` is a step to every node and one to its children, so that positions are counted for each parent.
    if (isEverywhere(step) && steps[at + 1]?.axis === 'child') return nodes;
    const before = steps[at - 1];
    const isAnywhere = before !== undefined && isEverywhere(before) && step.axis === 'child';
    const reached = nodes.map((node) => (isAnywhere ? anywhere(node, step, index) : from(node, step, index)));
    return ordered(reached);
  }, start as Node[]);
}

const BACKWARDS: ReadonlySet<Axis> = new Set(['ancestor', 'ancestor-or-self', 'preceding-sibling']);
const isEverywhere = ({ axis, test, predicates }: Step) =>
  axis === 'descendant-or-self' && 'kind' in test && test.kind === 'node' && predicates.length === 0;

function from(node: Node, step: Step, index: PageIndex): Node[] {
  return filtered(AXES[step.axis](node, step.test, index), step.predicates);
}

function anywhere(node: Node, step: Step, index: PageIndex): Node[] {
  if (!step.isPositional) return filtered(candidates(node, step, index), step.predicates);
  const all = AXES.descendant(node, step.test, index) as AnyNode[];
  const families = new Map<unknown, AnyNode[]>();
  for (const each of all) {
    const family = families.get(each.parent);
    if (family) family.push(each);
    else families.set(each.parent, [each]);
  }
  return ordered([...families.values()].map((family) => filtered(family, step.predicates)));
}

function candidates(node: Node, { test, id }: Step, index: PageIndex): Node[] {
  if (id === undefined || isAttribute(node)) return AXES.descendant(node, test, index);
  return index.elements('id', id, node).filter((each) => passes(each, test));
}

/** A number selects a position, everything else is a condition. */
export function filtered(nodes: readonly Node[], predicates: readonly Expression[]): Node[] {
  return predicates.reduce<Node[]>((left, predicate) => {
    const size = left.length;
    return left.filter((node, at) => {
      const value = predicate({ node, position: at + 1, size });
      return typeof value === 'number' ? value === at + 1 : toBoolean(value);
    });
  }, nodes as Node[]);
}

/** What several searches have found, sorted only if they overlap. */
export function ordered(parts: readonly Node[][]): Node[] {
  const [only = []] = parts;
  const nodes = parts.length === 1 ? only : parts.flat();
  if (nodes.every((node, at) => at === 0 || isAfter(node, nodes[at - 1]))) return nodes;
  const sorted = nodes.toSorted((a, b) => place(a) - place(b) || placeInTag(a) - placeInTag(b));
  const once = new Map(
    sorted.map((node) => [isAttribute(node) ? `${place(node)} ${node.name}` : place(node), node]),
  );
  return [...once.values()];
}

/** An attribute stands behind its element. */
const place = (node: Node) => placeOf(isAttribute(node) ? node.owner : node);

const placeInTag = (node: Node) =>
  isAttribute(node) ? Object.keys(node.owner.attribs).indexOf(node.name) : -1;

function isAfter(node: Node, previous: Node | undefined): boolean {
  if (!previous || place(node) > place(previous)) return true;
  return place(node) === place(previous) && placeInTag(node) > placeInTag(previous);
}

type Walk = (node: Node, test: Test, index: PageIndex) => Node[];

const AXES: Readonly<Record<Axis, Walk>> = {
  self: (node, test) => (passes(node, test) ? [node] : []),
  child: (node, test) => childrenOf(node).filter((child) => passes(child, test)),
  parent: (node, test) =>
    ancestorsOf(node)
      .slice(0, 1)
      .filter((each) => passes(each, test)),
  ancestor: (node, test) => ancestorsOf(node).filter((each) => passes(each, test)),
  'ancestor-or-self': (node, test) => [node, ...ancestorsOf(node)].filter((each) => passes(each, test)),
  descendant: (node, test, index) => {
    if (isAttribute(node)) return [];
    if ('name' in test) return index.elements('name', test.name, node).filter(isHtml);
    return index.below(node).filter((each) => passes(each, test));
  },
  'descendant-or-self': (node, test, index) => [
    ...AXES.self(node, test, index),
    ...AXES.descendant(node, test, index),
  ],
  'following-sibling': (node, test) => siblings(node, 'next').filter((each) => passes(each, test)),
  'preceding-sibling': (node, test) => siblings(node, 'prev').filter((each) => passes(each, test)),
  attribute: (node, test) => (node instanceof Element ? attributes(node, test) : []),
};

function attributes(owner: Element, test: Test): Node[] {
  if ('name' in test) {
    const value = Object.hasOwn(owner.attribs, test.name) ? owner.attribs[test.name] : undefined;
    return value === undefined ? [] : [{ owner, name: test.name, value }];
  }
  if (test.kind !== 'any' && test.kind !== 'node') return [];
  return Object.entries(owner.attribs).map(([name, value]) => ({ owner, name, value }));
}

function passes(node: Node, test: Test): boolean {
  // As in a browser, a name without a prefix is one of HTML.
  if ('name' in test) return named(node, test.name);
  if (test.kind === 'any') return isAttribute(node) || node instanceof Element;
  if (test.kind === 'node') return true;
  return !isAttribute(node) && (test.kind === 'text' ? isText(node) : isComment(node));
}

const named = (node: Node, name: string) =>
  isAttribute(node) ? node.name === name : node instanceof Element && isHtml(node) && node.name === name;

function childrenOf(node: Node): AnyNode[] {
  if (isAttribute(node) || !('children' in node)) return [];
  const children = childNodesOf(node);
  return children === node.children ? node.children : (ordered([[...children]]) as AnyNode[]);
}

function ancestorsOf(node: Node): AnyNode[] {
  const found: AnyNode[] = [];
  for (let at = isAttribute(node) ? node.owner : lightParent(node); at; at = lightParent(at)) found.push(at);
  return found;
}

const lightParent = (node: AnyNode): AnyNode | null => lightParentOf(node);

function siblings(node: Node, direction: 'next' | 'prev'): AnyNode[] {
  const found: AnyNode[] = [];
  if (!isAttribute(node)) for (let at = node[direction]; at; at = at[direction]) found.push(at);
  return found;
}
