import { Element } from 'domhandler';
import { elementsOf } from '../../html/tree.ts';
import type { Weights } from '../../html/visible.ts';

/** Shorter blocks may well repeat. */
const MIN_WORDS = 20;

/** False for a block whose very text was seen before: menus and contents come once for each screen size. */
export function isFirstTime(element: Element, weights: Weights, seen: Set<string>): boolean {
  const weight = weights.get(element);
  if (!weight || weight.words < MIN_WORDS) return true;
  const { parent } = element;
  // A wrapper is not a repetition of what it wraps.
  if (parent instanceof Element && weights.get(parent)?.words === weight.words) return true;
  const key = `${weight.words} ${hashInside(element, weights)}`;
  const isFirst = !seen.has(key);
  seen.add(key);
  return isFirst;
}

function hashInside(element: Element, weights: Weights): number | undefined {
  const own = weights.get(element);
  const only = elementsOf(element).find((child) => weights.get(child)?.words === own?.words);
  return only ? hashInside(only, weights) : own?.hash;
}
