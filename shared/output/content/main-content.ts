import type { Element } from 'domhandler';
import { elementsOf, findAll, isInside, rawText } from '../tree.ts';
import { isRead, unlinked, weigh, type Weight, type Weights } from '../visible.ts';
import { endingLevel, isBoilerplate, isLandmark, type Judged } from './boilerplate.ts';
import { isFirstTime } from './repeated.ts';
import { pageKind, type PageKind } from './page-kind.ts';

/** The elements that hold the content, and what below them is left out. */
export type Content = { roots: readonly Element[]; dropped: ReadonlySet<Element>; scope: 'main' | 'full' };
export type Scope = 'auto' | 'main' | 'full';

/** Less of a page's words than this, and `auto` takes the page without its menus instead. */
const ENOUGH = 0.4;
/** Words without which a page without its menus is as good as empty. */
const FEWEST = 20;

/**
 * The content of a page. `main` leaves out what surrounds it; `auto` does so too, unless that drops most of
 * the words, as on lists and shops, where it leaves out menus and footers only.
 */
export function contentOf(body: Element, scope: Scope, url: string): Content {
  const weights = weigh(body, isRead);
  const whole = (): Content => ({
    roots: [body],
    dropped: pruned(body, weights, () => false),
    scope: 'full',
  });
  if (scope === 'full') return whole();
  const kind = pageKind(body, url);
  const page = { weights, total: unlinked(weights.get(body)), kind };
  const landmarks = pruned(body, weights, (element) => isLandmark(element, page));
  const rest = without(body, landmarks);
  const judged = { weights, total: unlinked(rest.get(body)), kind };
  const dropped = pruned(body, weights, (element) => isBoilerplate(element, judged), judged);
  const left = without(body, dropped);
  const root = rootOf(body, left, kind);
  const isEnough = worth(left.get(root)) > worth(rest.get(body)) * ENOUGH;
  if (isEnough || (scope === 'main' && unlinked(left.get(root)) > 0))
    return { roots: [...titleOf(body, root, dropped), root], dropped, scope: 'main' };
  if (judged.total <= FEWEST) return whole();
  const most = rootOf(body, rest, kind);
  return { roots: [...titleOf(body, most, landmarks), most], dropped: landmarks, scope: 'full' };
}

/** The only main heading of a page, if it stands outside of the content. */
function titleOf(body: Element, root: Element, dropped: ReadonlySet<Element>): Element[] {
  const isDropped = (element: Element) => dropped.has(element) || !isRead(element);
  const titles = findAll(body, ({ name }) => name === 'h1');
  const [title] = titles;
  if (!title || titles.length > 1 || isDropped(title) || isInside(title, isDropped)) return [];
  return isInside(title, (element) => element === root) || title === root ? [] : [title];
}

/** Pages with fewer are taken as they are. */
const FEW_WORDS = 200;

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
      if (ending) level = levelAfter(child, level);
      const isEnded = ending && level > 0 && unlinked(weights.get(child)) < ending.total * 0.25;
      if (isEnded || isLeftOut(child) || !isFirstTime(child, weights, seen)) dropped.add(child);
      else prune(child);
    }
  };
  prune(body);
  return dropped;
}

/** Under a heading such as "Related articles" its siblings are left out, until the next heading as high. */
function levelAfter(element: Element, level: number): number {
  const own = Number(/^h([1-6])$/.exec(element.name)?.[1] ?? 0);
  if (own === 0) return level;
  const ending = endingLevel(element, () => rawText(element).trim());
  if (ending !== undefined) return ending;
  return own > level ? level : 0;
}

/** How much of the words a child must hold for the content to be looked for in it alone. */
const MOST: Readonly<Record<PageKind, number>> = { product: 0.86, forum: 0.8, other: 0.8 };

function rootOf(body: Element, weights: Weights, kind: PageKind): Element {
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
    if (!next) return root;
    root = next;
  }
  return root;
}
