import { Element } from 'domhandler';
import { elementsOf, find, findAll, isInside } from '../../html/tree.ts';
import type { Weight, Weights } from '../../html/visible.ts';
import { wordSet } from './names.ts';

/** Words of a paragraph; shorter ones are labels and notices. */
const PARAGRAPH = 15;
/** Words of a text without an element of its own that says that it is one. */
const PASSAGE = 30;
/** Share of prose above which a block is taken whole, with headings and labels; more outside of `main`. */
const MOSTLY = { before: 0.5, outside: 0.6, after: 0.3 };

const PARAGRAPHS = wordSet('p blockquote dd pre');

/** Summaries, leads and questions that stand before the content, in elements of their own. */
export function proseBefore(body: Element, root: Element, weights: Weights): Element[] {
  const main = mainAround(body, root);
  const within = boundary(body, main, weights);
  const prose = proseWords(within, weights);
  const found: Element[] = [];
  let mostly = MOSTLY.before;
  for (let at = root; at !== within && at.parent instanceof Element; at = at.parent) {
    const siblings = elementsOf(at.parent);
    const before = siblings.slice(0, siblings.indexOf(at));
    if (at === main) mostly = MOSTLY.outside;
    found.unshift(...before.flatMap((sibling) => proseIn(sibling, prose, weights, mostly)));
  }
  return fromTitle(found, body);
}

/** Descriptions, guides and questions that follow a list in its page's main area. */
export function proseAfter(body: Element, list: Element, weights: Weights): Element[] {
  const within = boundary(body, mainAround(body, list), weights);
  const prose = proseWords(within, weights);
  const found: Element[] = [];
  for (let at = list; at !== within && at.parent instanceof Element; at = at.parent) {
    const siblings = elementsOf(at.parent);
    const after = siblings.slice(siblings.indexOf(at) + 1);
    found.push(...after.flatMap((sibling) => proseIn(sibling, prose, weights, MOSTLY.after)));
  }
  return found;
}

const isMain = ({ name, attribs }: Element) => name === 'main' || attribs.role === 'main';

/** What stands outside of a page's `main` is not about its content, unless the page's title stands there. */
function boundary(body: Element, main: Element, weights: Weights): Element {
  const [title, ...others] = findAll(body, ({ name }) => name === 'h1');
  if (!title || others.length > 0 || !weights.has(title)) return main;
  const around = new Set<Element>();
  isInside(title, (ancestor) => !around.add(ancestor));
  let at = main;
  while (!around.has(at) && at.parent instanceof Element) at = at.parent;
  return at;
}

function mainAround(body: Element, root: Element): Element {
  if (isMain(root)) return root;
  for (let at = root.parent; at instanceof Element && at !== body; at = at.parent) if (isMain(at)) return at;
  return body;
}

/** The blocks below an element that are mostly prose. */
function proseIn(
  element: Element,
  prose: ReadonlyMap<Element, number>,
  weights: Weights,
  mostly: number,
): Element[] {
  const words = prose.get(element) ?? 0;
  if (words === 0) return [];
  if (words >= (weights.get(element)?.words ?? 0) * mostly) return [element];
  return elementsOf(element).flatMap((child) => proseIn(child, prose, weights, mostly));
}

/** Of every element, the words in paragraphs and passages that are mostly not links. */
function proseWords(root: Element, weights: Weights): Map<Element, number> {
  const prose = new Map<Element, number>();
  const count = (element: Element): number => {
    const weight = weights.get(element);
    if (!weight || weight.words < PARAGRAPH) return 0;
    const inner = elementsOf(element).reduce((sum, child) => sum + count(child), 0);
    const isProse = weight.linked < weight.words * 0.3 && isSaying(element, weight, weights);
    const words = inner > 0 || !isProse ? inner : weight.words;
    prose.set(element, words);
    return words;
  };
  count(root);
  return prose;
}

function isSaying(element: Element, { words }: Weight, weights: Weights): boolean {
  if (PARAGRAPHS.has(element.name)) return true;
  const isOwn = !elementsOf(element).some((child) => (weights.get(child)?.words ?? 0) > words * 0.5);
  return words >= PASSAGE && isOwn;
}

/** What stands above the title is a notice of the site. */
function fromTitle(found: readonly Element[], body: Element): Element[] {
  const title = find(body, ({ name }) => name === 'h1');
  if (!title || found.length === 0) return [...found];
  const above = new Set<Element>();
  const visit = (element: Element): boolean => {
    if (element === title) return true;
    above.add(element);
    return elementsOf(element).some(visit);
  };
  visit(body);
  isInside(title, (ancestor) => !above.delete(ancestor));
  return found.filter((element) => !above.has(element));
}
