import { Element } from 'domhandler';
import { elementsOf, find, isInside } from '../tree.ts';
import type { Weight, Weights } from '../visible.ts';
import { wordSet } from './names.ts';

/** Words of a paragraph; shorter ones are labels and notices. */
const PARAGRAPH = 15;
/** Words of a text without an element of its own that says that it is one. */
const PASSAGE = 30;
/** Share of prose above which a block is taken whole, with its headings and labels. */
const MOSTLY = 0.5;

const PARAGRAPHS = wordSet('p blockquote dd pre');

/** Summaries, leads and questions that stand before the content, in elements of their own. */
export function proseBefore(body: Element, root: Element, weights: Weights): Element[] {
  const within = boundary(body, root);
  const prose = proseWords(within, weights);
  const found: Element[] = [];
  for (let at = root; at !== within && at.parent instanceof Element; at = at.parent) {
    const siblings = elementsOf(at.parent);
    const before = siblings.slice(0, siblings.indexOf(at));
    found.unshift(...before.flatMap((sibling) => proseIn(sibling, prose, weights)));
  }
  return fromTitle(found, body);
}

const isMain = ({ name, attribs }: Element) => name === 'main' || attribs.role === 'main';

/** What stands outside of a page's `main` is not about its content. */
function boundary(body: Element, root: Element): Element {
  if (isMain(root)) return root;
  for (let at = root.parent; at instanceof Element && at !== body; at = at.parent) if (isMain(at)) return at;
  return body;
}

/** The blocks below an element that are mostly prose. */
function proseIn(element: Element, prose: ReadonlyMap<Element, number>, weights: Weights): Element[] {
  const words = prose.get(element) ?? 0;
  if (words === 0) return [];
  if (words >= (weights.get(element)?.words ?? 0) * MOSTLY) return [element];
  return elementsOf(element).flatMap((child) => proseIn(child, prose, weights));
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
