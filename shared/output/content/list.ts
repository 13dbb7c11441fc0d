import type { Element } from 'domhandler';
import { elementsOf, find } from '../../html/tree.ts';
import type { Weights } from '../../html/visible.ts';

const FEWEST_ITEMS = 10;
/** Words of an item; shorter ones are gaps and markers. */
const ITEM_WORDS = 5;
/** The share of words that are in items of a list. */
const ITEMS = 0.5;
/** Share of the words that an element must hold for the list to be looked for in it. */
const WITHIN = 0.6;

/** True for a shop's grid and for other lists of things with pictures. */
export function isList(root: Element, weights: Weights): boolean {
  const words = (element: Element) => weights.get(element)?.words ?? 0;
  for (let at: Element | undefined = root; at;) {
    const children = elementsOf(at);
    const total = words(at);
    if (alike(children.filter((child) => words(child) >= ITEM_WORDS)).some(isMost)) return true;
    at = children.find((child) => words(child) > total * WITHIN);

    function isMost(group: readonly Element[]): boolean {
      if (group.length < FEWEST_ITEMS) return false;
      const items = group.filter(hasPicture);
      return (
        items.length >= FEWEST_ITEMS && items.reduce((sum, item) => sum + words(item), 0) > total * ITEMS
      );
    }
  }
  return false;
}

const hasPicture = (element: Element) => find(element, ({ name }) => name === 'img') !== undefined;

/** Elements grouped by their name and first class. */
const alike = (elements: readonly Element[]): Element[][] =>
  Object.values(
    Object.groupBy(elements, ({ name, attribs }) => `${name} ${attribs.class?.split(/\s+/)[0] ?? ''}`),
  ).filter((group) => group !== undefined);
