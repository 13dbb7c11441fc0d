import { type Element, isTag, isText } from 'domhandler';
import { findAll, rawText } from '../../html/tree.ts';

/** What highlighters and editors call the numbers of lines, and buttons that copy the code. */
const NAMES =
  /(?:^|[\s_-])(?:gutters?|ace_gutter(?:-layer)?|lineno|linenos|linenumbers?|line-?numbers?(?:-rows|-wrapper)?|lnt?|ln-num|lntable-ln|blob-num|hljs-ln-n(?:umbers|ums?)|rouge-gutter|crayon-nums?(?:-content)?|margin-view-overlays|copy-btn|copy-button)(?:$|[\s_-])/i;
/** Classes of `pre` and `code` that only say that there are numbers. */
const WITH_NUMBERS = /(?:^|\s)line-?numbers(?:-mode)?(?:$|\s)/i;
/** How highlighters mark numbers that belong to the code. */
const NUMBER_TOKEN = /(?:^|[\s_-])(?:number|numeric|num|literal|constant|m[fhibo]?|cm-number)(?:$|\s)/i;

/** Whether an element has the numbers of lines beside code, by its name or by what it is. */
export function isGutter(element: Element): boolean {
  const names = element.attribs.class ?? '';
  if (names === '' || !NAMES.test(names)) return false;
  if (element.name === 'pre' || element.name === 'code' || WITH_NUMBERS.test(names))
    return isNumbers(element);
  // A name alone may be the name of the whole block.
  return /copy/i.test(names) || isNumbers(element);
}

const isNumbers = (element: Element) => /^[\s\d]*$/.test(rawText(element));

/** The whole numbers that a text consists of, if each is one more than the one before. */
export function numbersIn(text: string): number[] | undefined {
  if (!/^\s*\d[\s\d]*$/.test(text)) return undefined;
  const numbers = text.trim().split(/\s+/).map(Number);
  return numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1)
    ? numbers
    : undefined;
}

/** Elements that begin the lines of a block and count them, whatever they are called. */
export function gutterIn(block: Element): ReadonlySet<Element> {
  const groups = new Map<string, Element[]>();
  for (const element of findAll(block, isCount)) {
    const key = `${element.name} ${element.attribs.class ?? ''}`;
    groups.set(key, [...(groups.get(key) ?? []), element]);
  }
  const gutters = [...groups.values()].filter(
    (group) => group.length > 1 && numbersIn(group.map(rawText).join(' ')) !== undefined,
  );
  const all = new Set(gutters.flat());
  return saysMore(block, all) ? all : new Set();
}

const isCount = (element: Element) =>
  /^\s*\d+\s*$/.test(rawText(element)) &&
  !NUMBER_TOKEN.test(element.attribs.class ?? '') &&
  element.children.every((child) => !isTag(child)) &&
  beginsLine(element);

/** Nothing stands before it in its line. */
function beginsLine(element: Element): boolean {
  for (let before = element.prev; before; before = before.prev) {
    if (isTag(before))
      return before.name === 'br' || /\n\s*$/.test(rawText(before)) || rawText(before) === '';
    if (isText(before) && before.data.trim() !== '') return /\n[ \t]*$/.test(before.data);
    if (isText(before) && before.data.includes('\n')) return true;
  }
  return true;
}

/** Code whose lines are numbers alone keeps them. */
function saysMore(block: Element, gutter: ReadonlySet<Element>): boolean {
  let length = rawText(block).replace(/\s/g, '').length;
  for (const element of gutter) length -= rawText(element).trim().length;
  return length > 0;
}
