import { Element } from 'domhandler';
import { elementsOf, findAll, isInside, find } from '../../html/tree.ts';
import { isRead, unlinked, weigh, type Weight, type Weights } from '../../html/visible.ts';
import { endingLevel, holdsPanels, isBoilerplate } from './boilerplate.ts';
import { isLandmark, type Judged } from './landmarks.ts';
import { pageKind } from './page-kind.ts';
import { proseAfter, proseBefore } from './prose.ts';
import { rootOf } from './root.ts';

/** The elements that hold the content, and what below them is left out. */
export type Content = {
  roots: readonly Element[];
  dropped: ReadonlySet<Element>;
  scope: 'main' | 'full' | 'selected';
  /** Its share of the visible words, from 0 to 1. */
  coverage: number;
};
export type Scope = 'auto' | 'main' | 'full';

/** With a smaller share of the page's words, `auto` takes the page without its menus. */
const ENOUGH = 0.4;
/** With fewer words, a page without its menus counts as empty. */
const FEWEST = 20;

/**
 * The content of a page. `main` leaves out what surrounds it; `auto` does so too, unless that drops most of
 * the words, as on lists and shops, where it leaves out menus and footers only.
 */
export function contentOf(body: Element, scope: Scope, url: string): Content {
  const weights = weigh(body, isRead);
  const whole = (): Content => ({ roots: [body], dropped: new Set(), scope: 'full', coverage: 1 });
  const all = weights.get(body)?.words ?? 0;
  if (scope === 'full') return whole();
  const kind = pageKind(body, url);
  const page = { weights, total: unlinked(weights.get(body)), kind };
  const landmarks = pruned(body, weights, (element) => isForOthers(element) || isLandmark(element, page));
  const rest = without(body, landmarks);
  const judged = { weights, total: unlinked(rest.get(body)), kind };
  const isLeftOut = (element: Element) => landmarks.has(element) || isBoilerplate(element, judged);
  const dropped = pruned(body, weights, isLeftOut, judged);
  const left = without(body, dropped);
  const root = rootOf(body, left, kind);
  const isEnough = worth(left.get(root)) > worth(rest.get(body)) * ENOUGH;
  if (isEnough || (scope === 'main' && unlinked(left.get(root)) > 0))
    return contentIn(contentRoots(body, root, { weights: left, left }, dropped), {
      dropped,
      scope: 'main',
      left,
      all,
    });
  if (judged.total <= FEWEST) return whole();
  const most = rootOf(body, rest, kind);
  const roots = contentRoots(body, most, { weights: rest, left }, landmarks);
  return contentIn(roots, { dropped: landmarks, scope: 'full', left: rest, all });
}

type Kept = Omit<Content, 'roots' | 'coverage'> & { left: Weights; all: number };

function contentIn(roots: readonly Element[], { left, all, ...kept }: Kept): Content {
  const words = roots.reduce((sum, root) => sum + (left.get(root)?.words ?? 0), 0);
  return { ...kept, roots, coverage: coverageOf(words, all) };
}

/** Rounded to hundredths, and 1 only for all. */
export const coverageOf = (words: number, all: number): number =>
  words >= all ? 1 : Math.min(0.99, Math.round((words / all) * 100) / 100);

/** What a page shows without scripts asks for scripts, or repeats what they bring. */
const isForOthers = ({ name }: Element) => name === 'noscript';

/** The content between the title and prose that lead to it, and the prose that follows a list. */
function contentRoots(
  body: Element,
  root: Element,
  { weights, left }: Readonly<Record<'weights' | 'left', Weights>>,
  dropped: ReadonlySet<Element>,
): Element[] {
  const after = isList(root, weights) ? proseAfter(body, root, left) : [];
  const roots = [...proseBefore(body, root, weights), root, ...after];
  return [...titleOf(body, roots, dropped), ...roots];
}

/** The only main heading of a page, if it stands outside of the content. */
function titleOf(body: Element, roots: readonly Element[], dropped: ReadonlySet<Element>): Element[] {
  const isDropped = (element: Element) => dropped.has(element) || !isRead(element);
  const titles = findAll(body, ({ name }) => name === 'h1');
  const [title] = titles;
  if (!title || titles.length > 1 || isDropped(title) || isInside(title, isDropped)) return [];
  const isTaken = (element: Element) => roots.includes(element);
  return isTaken(title) || isInside(title, isTaken) ? [] : [title];
}

const without = (body: Element, dropped: ReadonlySet<Element>) =>
  weigh(body, (element) => isRead(element) && !dropped.has(element));
const worth = (weight: Weight | undefined) => (weight ? weight.words - weight.linked * 0.5 : 0);

function pruned(
  body: Element,
  weights: Weights,
  isLeftOut: (element: Element) => boolean,
  ending?: Judged,
): Set<Element> {
  const dropped = new Set<Element>();
  const seen = new Set<string>();
  const prune = (element: Element) => {
    let level = 0;
    for (const child of elementsOf(element)) {
      if (!isRead(child)) continue;
      if (ending) level = levelAfter(child, level, weights);
      const isEnded = ending && level > 0 && isPartOfEnd(child, ending);
      if (isEnded || isLeftOut(child) || !isFirstTime(child, weights, seen)) dropped.add(child);
      else prune(child);
    }
  };
  prune(body);
  return dropped;
}

const isPartOfEnd = (element: Element, { weights, total }: Judged) =>
  unlinked(weights.get(element)) < total * 0.25 && !holdsPanels(element, weights);

/** Under a heading such as "Related articles" its siblings are left out, until the next heading as high. */
function levelAfter(element: Element, level: number, weights: Weights): number {
  const own = Number(/^h([1-6])$/.exec(element.name)?.[1] ?? 0);
  if (own === 0) return level;
  const ending = endingLevel(element, weights);
  if (ending !== undefined) return ending;
  return own > level ? level : 0;
}

/** Shorter blocks may well repeat. */
const MIN_WORDS = 20;

/** False for a block whose very text was seen before: menus and contents come once for each screen size. */
function isFirstTime(element: Element, weights: Weights, seen: Set<string>): boolean {
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

const FEWEST_ITEMS = 10;
/** Words of an item; shorter ones are gaps and markers. */
const ITEM_WORDS = 5;
/** The share of words that are in items of a list. */
const ITEMS = 0.5;
/** Share of the words that an element must hold for the list to be looked for in it. */
const WITHIN = 0.6;

/** True for a shop's grid and for other lists of things with pictures. */
function isList(root: Element, weights: Weights): boolean {
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
