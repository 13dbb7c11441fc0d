import type { Element } from 'domhandler';
import { elementsOf, findAll } from '../../html/tree.ts';
import { unlinked, type Weights } from '../../html/visible.ts';
import type { PageKind } from './page-kind.ts';

/** Pages with fewer words are taken whole. */
const FEW_WORDS = 200;
/** Peers with fewer words are labels and notices. */
const ITEM_WORDS = 20;
/** How much of the words a child must hold for the content to be looked for in it alone. */
const MOST: Readonly<Record<PageKind, number>> = { product: 0.86, forum: 0.8, other: 0.8 };

export function rootOf(body: Element, weights: Weights, kind: PageKind): Element {
  const words = (element: Element) => weights.get(element)?.words ?? 0;
  const largest = (within: Element, test: (element: Element) => boolean) =>
    findAll(within, (element) => weights.has(element) && test(element)).reduce<Element | undefined>(
      (best, element) => (best && words(best) >= words(element) ? best : element),
      undefined,
    );
  let root = body;
  const main = largest(body, ({ name, attribs }) => name === 'main' || attribs.role === 'main');
  if (main && (words(main) > words(body) * 0.25 || unlinked(weights.get(main)) > 100)) root = main;
  const article = largest(root, ({ name }) => name === 'article');
  if (article && words(article) > words(root) * 0.5) root = article;
  while (words(root) >= FEW_WORDS) {
    const next = elementsOf(root).find((child) => words(child) > words(root) * MOST[kind]);
    if (!next || hasPeers(next, root, weights)) return root;
    root = next;
  }
  return root;
}

/** One long item of a list is not the content without the others. */
function hasPeers(item: Element, list: Element, weights: Weights): boolean {
  const { name, attribs } = item;
  if (attribs.class === undefined) return false;
  const isPeer = (element: Element) => element.name === name && element.attribs.class === attribs.class;
  return elementsOf(list).some(
    (element) => element !== item && isPeer(element) && (weights.get(element)?.words ?? 0) >= ITEM_WORDS,
  );
}
