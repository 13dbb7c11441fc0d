import type { PhrasingContent } from 'mdast';
import { isMark, joined, type Mark, withChildren } from './nodes.ts';

/**
 * Keeps marks where CommonMark reads them as marks. Others are moved past punctuation,
 * or dropped. https://spec.commonmark.org/0.31.2/#left-flanking-delimiter-run
 */
export function flanked(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  let placed = [...nodes];
  // What goes or moves changes what its neighbours stand beside.
  for (let isDone = false; !isDone;) {
    isDone = true;
    placed = joinedWithin(pass(placed, { before: '\n', after: '\n' }, () => (isDone = false)));
  }
  return placed;
}

const joinedWithin = (nodes: readonly PhrasingContent[]): PhrasingContent[] =>
  joined(nodes).map((node) => (isMark(node) ? withChildren(node, joinedWithin(node.children)) : node));

function pass(nodes: readonly PhrasingContent[], edges: Around, change: () => unknown): PhrasingContent[] {
  const waiting = nodes.toReversed();
  const done: PhrasingContent[] = [];
  const inside = (mark: Mark, around: Around): Mark => ({
    ...mark,
    children: pass(mark.children, around, change),
  });
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const delimiter = DELIMITERS[node.type];
    const before = lastOf(done.at(-1), delimiter) ?? edges.before;
    const after = firstOf(waiting.at(-1), delimiter) ?? edges.after;
    if (!isMark(node)) done.push(node);
    else if (delimiter === undefined) done.push(inside(node, { before: '[', after: ']' }));
    else {
      const moved = isLongRun(done.at(-1), node)
        ? node.children
        : displaced(node, delimiter, { before, after });
      if (moved) change();
      if (moved) for (const each of moved.toReversed()) waiting.push(each);
      else done.push(inside(node, innerAround(delimiter, { before, after })));
    }
  }
  return done;
}

type Around = { before: string; after: string };

const DELIMITERS: Readonly<Record<string, string>> = { strong: '*', emphasis: '*', delete: '~' };

/** Between two marks a reader divides three delimiters, and not always more. */
const isLongRun = (one: PhrasingContent | undefined, other: PhrasingContent) =>
  one !== undefined && runOf(one, -1) > 0 && runOf(one, -1) + runOf(other, 0) > 3;

/** How many delimiters a node begins with, or ends with. */
function runOf(node: PhrasingContent, edge: 0 | -1): number {
  if (!isMark(node) || DELIMITERS[node.type] !== '*') return 0;
  const inner = node.children.at(edge);
  return (node.type === 'strong' ? 2 : 1) + (inner ? runOf(inner, edge) : 0);
}

/** What becomes of a mark that cannot stand where it is: punctuation at its edge moves, or it goes. */
function displaced(mark: Mark, delimiter: string, { before, after }: Around): PhrasingContent[] | undefined {
  const [first, last] = [mark.children[0], mark.children.at(-1)];
  const [start = '', end = ''] = [firstOf(first, delimiter), lastOf(last, delimiter)];
  if (!first || !last) return [];
  if (!opens(before, start)) {
    if (first.type !== 'text') return mark.children;
    const rest = filled(first.value.slice(start.length));
    return [text(start), ...shrunk(mark, [...rest, ...mark.children.slice(1)])];
  }
  if (opens(after, end)) return undefined;
  if (last.type !== 'text') return mark.children;
  const rest = filled(last.value.slice(0, last.value.length - end.length));
  return [...shrunk(mark, [...mark.children.slice(0, -1), ...rest]), text(end)];
}

/** Delimiters of the same character that stand beside each other are one to a reader. */
const innerAround = (delimiter: string, { before, after }: Around): Around =>
  delimiter === '*' ? { before, after } : { before: delimiter, after: delimiter };

const text = (value: string): PhrasingContent => ({ type: 'text', value });
const filled = (value: string) => (value === '' ? [] : [text(value)]);
const shrunk = (mark: Mark, children: PhrasingContent[]): PhrasingContent[] =>
  children.length > 0 ? [{ ...mark, children }] : [];

const PUNCTUATION = /^[\p{P}\p{S}]/u;
/** Readers that look at halves of characters see no punctuation beyond the first plane. */
const isHalved = (character: string) => character.length > 1;

/** Whether a delimiter begins or ends a mark between two characters, the second of them inside it. */
function opens(outer: string, inner: string): boolean {
  if (/^\s/.test(inner) || inner === '') return false;
  if (!PUNCTUATION.test(inner)) return true;
  return /^\s/.test(outer) || (PUNCTUATION.test(outer) && !isHalved(outer));
}

/** The first written character of a node, behind these delimiters. */
function firstOf(node: PhrasingContent | undefined, delimiter: string | undefined): string | undefined {
  if (!node) return undefined;
  if (isMark(node) && DELIMITERS[node.type] === delimiter && delimiter === '*')
    return firstOf(node.children[0], delimiter);
  if (node.type !== 'text') return STARTS[node.type] ?? '\n';
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.exec(node.value)?.[0] ?? node.value.slice(0, 1);
}

/** The last written character of a node, before these delimiters. */
function lastOf(node: PhrasingContent | undefined, delimiter: string | undefined): string | undefined {
  if (!node) return undefined;
  if (isMark(node) && DELIMITERS[node.type] === delimiter && delimiter === '*')
    return lastOf(node.children.at(-1), delimiter);
  if (node.type !== 'text') return ENDS[node.type] ?? STARTS[node.type] ?? '\n';
  return /[\uD800-\uDBFF][\uDC00-\uDFFF]$/.exec(node.value)?.[0] ?? node.value.slice(-1);
}

const STARTS: Readonly<Record<string, string>> = {
  ...DELIMITERS,
  ...{ inlineCode: '`', link: '[', image: '!', footnoteReference: '[', inlineMath: '$', html: '<' },
};
const ENDS: Readonly<Record<string, string>> = { link: ')', image: ')', footnoteReference: ']', html: '>' };
