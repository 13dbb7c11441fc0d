import { type Element, isTag, isText, type Text } from 'domhandler';
import { find } from './tree.ts';

/** Elements whose content nobody reads as text. */
const UNREAD: ReadonlySet<string> = new Set(
  'script style template canvas iframe embed head title meta link base map area audio video select option optgroup datalist textarea input progress meter param source track frame frameset noframes noembed'.split(
    ' ',
  ),
);
/** Where a drawing may have a `foreignObject`, which shows HTML. */
const SVG_CONTAINERS: ReadonlySet<string> = new Set(['g', 'a', 'switch', 'foreignObject']);
const SVG = 'http://www.w3.org/2000/svg';
const HIDING = /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

const revealed = new WeakSet<Element>();
const concealed = new WeakSet<Element>();

/** Makes an element count as not shown, whatever its attributes say. */
export const conceal = (element: Element): unknown => concealed.add(element);
export const isConcealed = (element: Element): boolean => concealed.has(element);

/** What a function returns while these elements count as not shown. */
export function withoutElements<T>(elements: readonly Element[], run: () => T): T {
  const added = elements.filter((element) => !concealed.has(element));
  for (const element of added) concealed.add(element);
  try {
    return run();
  } finally {
    for (const element of added) concealed.delete(element);
  }
}

/** Makes a hidden element count as shown. */
export const reveal = (element: Element): unknown => revealed.add(element);

export function isHidden({ name, attribs }: Element): boolean {
  if (name === 'dialog' && !('open' in attribs)) return true;
  if ('hidden' in attribs && attribs.hidden !== 'until-found') return true;
  return attribs.style !== undefined && HIDING.test(attribs.style);
}

export function isRead(element: Element): boolean {
  if (isUnread(element) || concealed.has(element)) return false;
  return !isHidden(element) || revealed.has(element);
}

/** The content of an `object` is shown in its place if it has nothing to load. */
function isUnread(element: Element): boolean {
  const { name, namespace, attribs } = element;
  if (name === 'svg') return !find(element, (inner) => inner.name === 'foreignObject');
  if (namespace === SVG) return !SVG_CONTAINERS.has(name);
  return name === 'object' ? 'data' in attribs : UNREAD.has(name);
}

export type Weights = ReadonlyMap<Element, Weight>;
export type Weight = { words: number; linked: number; hash: number };

/** Words outside links: the page's own text. */
export const unlinked = (weight: Weight | undefined): number => (weight ? weight.words - weight.linked : 0);

/** The visible words below every element, and how many of them are in links. */
export function weigh(root: Element, isLeft: (element: Element) => boolean): Map<Element, Weight> {
  const weights = new Map<Element, Weight>();
  const visit = (element: Element, inLink: boolean): Weight => {
    const weight = { words: 0, linked: 0, hash: 7 };
    const isLink = inLink || (element.name === 'a' && element.attribs.href !== undefined);
    for (const child of element.children) {
      if (isText(child)) {
        const { words, hash } = saidBy(child);
        weight.words += words;
        if (words > 0) weight.hash = mixed(weight.hash, hash);
        if (isLink) weight.linked += words;
      } else if (isTag(child) && isLeft(child)) {
        const part = visit(child, isLink);
        weight.words += part.words;
        weight.linked += part.linked;
        if (part.words > 0) weight.hash = mixed(weight.hash, part.hash);
      }
    }
    weights.set(element, weight);
    return weight;
  };
  visit(root, false);
  return weights;
}

type Said = Pick<Weight, 'words' | 'hash'>;
const said = new WeakMap<Text, Said>();

/** A page is weighed several times, with more or less of it left. */
function saidBy(text: Text): Said {
  const known = said.get(text);
  if (known) return known;
  const words = countWords(text.data);
  const counted = { words, hash: words > 0 ? hashOf(text.data) : 0 };
  said.set(text, counted);
  return counted;
}

/** Words that spaces separate; each character of a script without spaces counts half. */
export function countWords(text: string): number {
  let count = 0;
  let inWord = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code <= 32 || code === 0xa0) inWord = false;
    else if (code >= 0x3040 && code <= 0x9fff) {
      count += 0.5;
      inWord = false;
    } else if (!inWord) {
      count += 1;
      inWord = true;
    }
  }
  return count;
}

const mixed = (hash: number, next: number) => (Math.imul(hash, 31) + next) | 0;

/** Of the characters that show, so that the same text in another layout has the same hash. */
function hashOf(text: string): number {
  let hash = 17;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 32 && code !== 0xa0) hash = (Math.imul(hash, 33) + code) | 0;
  }
  return hash;
}
