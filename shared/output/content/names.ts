import type { Element } from 'domhandler';

export const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean));

const known = new WeakMap<Element, readonly string[]>();

const MAX_ID_WORDS = 3;
/** What an element has or had rather than is: `filter-active`, `navigation-not-searchable`. */
const QUALIFIED =
  /[a-z]+[^a-z0-9\s]+(?:active|enabled|open|opened|closed|hidden|collapsed|not|no|off|without)(?![a-z])/g;
const split = (text: string) =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(QUALIFIED, ' ')
    .split(/[^a-z0-9]+/)
    .filter(Boolean);

/** The single words in an element's id and classes. */
export function namesOf(element: Element): readonly string[] {
  const cached = known.get(element);
  if (cached) return cached;
  const ofId = split(element.attribs.id ?? '');
  // The id of a section is often the whole text of its heading.
  const names = [...(ofId.length <= MAX_ID_WORDS ? ofId : []), ...split(element.attribs.class ?? '')];
  known.set(element, names);
  return names;
}

export const isNamed = (element: Element, set: ReadonlySet<string>): boolean =>
  namesOf(element).some((name) => set.has(name));

/** True if the id or a whole class is in the set. */
export function isCalled({ attribs }: Element, set: ReadonlySet<string>): boolean {
  const names = [attribs.id ?? '', ...(attribs.class ?? '').split(/\s+/)];
  return names.some((name) => set.has(name.toLowerCase()));
}
