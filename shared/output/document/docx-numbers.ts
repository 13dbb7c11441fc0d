import type { Document, Element } from 'domhandler';
import { all, attribute, childOf, childrenOf } from './xml.ts';

const PROPERTIES = /<(\w+:)?pPr>(?:(?!<\/\1pPr>)[^]){0,5000}<\/\1pPr>/g;
const NUMBERED = /<(\w+:)?numPr>(?:(?!<\/\1numPr>)[^])*<\/\1numPr>/;
const LEVEL = /ilvl\s[^>]*val="(\d)"/;
const ID = /numId\s[^>]*val="(\d{1,9})"/;

/** A paragraph of a list: its list, and how deep it is in that. */
type Place = { id: string; level: number };

/** A part of a Word document with a mark before each item of a list, which has its number. */
export function withNumbers(xml: string, numbering: Document): string {
  const numberOf = openNumbers(numbering);
  return xml.replaceAll(PROPERTIES, (properties, prefix = '') => {
    const [numbered = ''] = NUMBERED.exec(properties) ?? [];
    const [, id = '0'] = ID.exec(numbered) ?? [];
    const number = numberOf({ id, level: Number(LEVEL.exec(numbered)?.[1] ?? 0) });
    if (number === undefined) return properties;
    const [w, mark] = [String(prefix), `\ue002${number}\ue003`];
    return `${properties}<${w}r><${w}t>${mark}</${w}t></${w}r>`;
  });
}

/** Lists that begin with the number of their first item, without marks and without empty items. */
export const withStarts = (html: string): string =>
  html
    .replaceAll(/<li>\ue002\d+\ue003<\/li>/g, '')
    .replaceAll(/<ol>(?=<li>(?:<[^<>]{1,200}>)*\ue002(\d+)\ue003)/g, (list, number: string) =>
      Number(number) > 1 ? `<ol start="${number}">` : list,
    )
    .replaceAll(/\ue002\d+\ue003/g, '');

const valueOf = (parent: Element, name: string) => {
  const child = childOf(parent, name);
  return child && attribute(child, 'val');
};

/**
 * Counts the items of lists in their order: ECMA-376, part 1, section 17.9. Lists of one definition continue
 * each other, unless one has a start of its own.
 */
function openNumbers(numbering: Document): (place: Place) => number | undefined {
  const definitions = new Map(
    all(numbering, 'abstractNum').map((each) => [attribute(each, 'abstractNumId'), each]),
  );
  const lists = new Map(all(numbering, 'num').map((each) => [attribute(each, 'numId'), each]));
  const counters = new Map<string, number[]>();
  const startOf = (list: Element, level: number) => {
    const isLevel = (each: Element) => attribute(each, 'ilvl') === String(level);
    const own = childrenOf(list, 'lvlOverride').find(isLevel);
    const definition = definitions.get(valueOf(list, 'abstractNumId'));
    const shared = definition && childrenOf(definition, 'lvl').find(isLevel);
    const start = (own && valueOf(own, 'startOverride')) ?? (shared && valueOf(shared, 'start'));
    const number = Number(start ?? 1);
    return Number.isSafeInteger(number) && number >= 0 ? number : 1;
  };
  return ({ id, level }) => {
    const list = lists.get(id);
    if (list === undefined) return undefined;
    const isOwn = childrenOf(list, 'lvlOverride').length > 0;
    const key = isOwn ? `list ${id}` : `definition ${valueOf(list, 'abstractNumId')}`;
    const counts = (counters.get(key) ?? []).slice(0, level + 1);
    counts[level] = counts[level] === undefined ? startOf(list, level) : counts[level] + 1;
    counters.set(key, counts);
    return counts[level];
  };
}
