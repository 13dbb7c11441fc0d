import { type AnyNode, type Document, Element } from 'domhandler';
import { isQuirky } from '../../html/tree.ts';

/** Where the nodes of a page stand, so that a rule need not search all of it. */
export type PageIndex = {
  document: Document;
  /** All nodes below a node. */
  below: (node: AnyNode) => AnyNode[];
  /** The elements below a node that have this name, class or id. */
  elements: (by: Key, value: string, node: AnyNode) => Element[];
};

export type Key = 'name' | 'class' | 'id';
type Places = ReadonlyMap<string, Element[]>;

export function pageIndex(document: Document): PageIndex {
  const nodes = numbered(document);
  const known: Partial<Record<Key, Places>> = {};
  const folded = (by: Key, value: string) => (isFolded(by, document) ? value.toLowerCase() : value);
  return {
    document,
    below: (node) => nodes.slice(placeOf(node) + 1, endOf(node)),
    elements(by, value, node) {
      const all =
        (known[by] ??= places(nodes, VALUES[by], (each) => folded(by, each))).get(folded(by, value)) ?? [];
      if (node === document) return all;
      const first = firstFrom(all, placeOf(node) + 1);
      return all.slice(first, firstFrom(all, endOf(node)));
    },
  };
}

/** Counted in the order of the document. */
// The parser's fields for offsets, which are unused here: a map of so many nodes takes longer than the rules.
export const placeOf = (node: AnyNode) => node.startIndex ?? 0;
const endOf = (node: AnyNode) => node.endIndex ?? 0;

function numbered(document: Document): AnyNode[] {
  const nodes: AnyNode[] = [];
  const add = (node: AnyNode) => {
    node.startIndex = nodes.push(node) - 1;
    if ('children' in node) for (const child of node.children) add(child);
    node.endIndex = nodes.length;
  };
  add(document);
  return nodes;
}

const isFolded = (by: Key, document: Document) => by === 'name' || isQuirky(document);

const VALUES: Readonly<Record<Key, (element: Element) => readonly string[]>> = {
  name: ({ name }) => [name],
  id: ({ attribs }) => (attribs.id === undefined ? [] : [attribs.id]),
  class: ({ attribs }) => (attribs.class ? classesIn(attribs.class) : []),
};

function classesIn(text: string): readonly string[] {
  const classes = text.split(/[\t\n\f\r ]+/);
  return classes.length === 1 ? classes : [...new Set(classes)];
}

function places(
  nodes: readonly AnyNode[],
  valuesOf: (element: Element) => readonly string[],
  fold: (value: string) => string,
): Places {
  const known = new Map<string, Element[]>();
  for (const node of nodes) {
    if (!(node instanceof Element)) continue;
    for (const value of valuesOf(node).map(fold)) {
      const elements = known.get(value);
      if (elements) elements.push(node);
      else known.set(value, [node]);
    }
  }
  return known;
}

/** The index of the first element that stands at a place or after it. */
function firstFrom(elements: readonly Element[], place: number): number {
  let [low, high] = [0, elements.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const element = elements[middle];
    if (element && placeOf(element) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}
