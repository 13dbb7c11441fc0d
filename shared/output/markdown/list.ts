import { type ChildNode, Element, isTag, isText } from 'domhandler';
import type { BlockContent, FootnoteDefinition, ListItem, RootContent } from 'mdast';
import { elementsOf } from '../../html/tree.ts';
import type { Writing } from './style.ts';

type FlowOf = (element: Element, writing: Writing) => BlockContent[];
type Item = ListItem | FootnoteDefinition;

/** A list, and the footnotes that are items of it. What stands beside its items is an item too. */
export function list(element: Element, writing: Writing, flowOf: FlowOf): RootContent[] {
  const ordered = element.name === 'ol';
  const items = itemsOf(element, writing, flowOf);
  const notes = items.filter((item) => item.type === 'footnoteDefinition');
  const children = items.filter((item) => item.type === 'listItem');
  const start = children[0]?.data?.number ?? 1;
  return [
    ...(children.length > 0
      ? [{ type: 'list', ordered, start: ordered ? start : null, spread: false, children } as const]
      : []),
    ...notes,
  ];
}

function itemsOf(element: Element, writing: Writing, flowOf: FlowOf): Item[] {
  const { start, reversed } = element.attribs;
  const step = reversed === undefined ? 1 : -1;
  const length = elementsOf(element).filter(({ name }) => name === 'li').length;
  let number = numbered(start, step === 1 ? 1 : length);
  const items: Item[] = [];
  for (const part of itemsIn(element)) {
    const isItem = part.name === 'li';
    if (!writing.isLeft(part)) continue;
    if (isItem) number = numbered(part.attribs.value, number);
    const children = flowOf(isItem ? part : around([part]), writing);
    if (children.length === 0) continue;
    const before = items.at(-1);
    // Many pages put a nested list beside the item that it belongs to.
    if (!isItem && before && isList(part)) before.children = before.children.concat(children);
    else items.push(itemOf(part, children, number, writing));
    if (isItem) number = Math.max(0, number + step);
  }
  return items;
}

function itemOf(element: Element, children: BlockContent[], number: number, { notes }: Writing): Item {
  const { id } = element.attribs;
  const label = id === undefined ? undefined : notes.get(id);
  if (label !== undefined) return { type: 'footnoteDefinition', identifier: label, label, children };
  const spread = children.slice(1).some(({ type }) => type !== 'list');
  return { type: 'listItem', spread, checked: isChecked(element), data: { number }, children };
}

/** Whether the box that an item begins with is checked; null without one. */
function isChecked(item: Element): boolean | null {
  const first = item.children.find((child) => isTag(child) || (isText(child) && child.data.trim() !== ''));
  if (!first || !isTag(first)) return null;
  if (first.name === 'input') return first.attribs.type === 'checkbox' ? 'checked' in first.attribs : null;
  return ['label', 'p', 'span', 'div'].includes(first.name) ? isChecked(first) : null;
}

/** The children, and text that stands in the list itself as an element. */
function itemsIn(element: Element): Element[] {
  const parts: Element[] = [];
  for (const child of element.children) {
    if (isTag(child)) parts.push(child);
    else if (isText(child) && child.data.trim() !== '') parts.push(around([child]));
  }
  return parts;
}

const isList = ({ name }: Element) => name === 'ul' || name === 'ol' || name === 'menu';

/** Without making it the parent of its children, which stay where they are. */
export function around(children: ChildNode[]): Element {
  const holder = new Element('div', {});
  holder.children = children;
  return holder;
}

/** Markdown has no other numbers than these. */
function numbered(text: string | undefined, otherwise: number): number {
  const number = text?.trim() ? Number(text) : NaN;
  return Number.isInteger(number) && number >= 0 && number < 1e9 ? number : otherwise;
}

/** Terms, and what is said of them as a list, for which GFM has nothing of its own. */
export function definitions(element: Element, writing: Writing, flowOf: FlowOf): BlockContent[] {
  const blocks: BlockContent[] = [];
  for (const part of entriesOf(element, writing)) {
    const children = flowOf(part, writing);
    const before = blocks.at(-1);
    if (part.name !== 'dd') for (const child of children) blocks.push(child);
    else if (children.length > 0 && before?.type === 'list' && !before.ordered)
      before.children.push({ type: 'listItem', spread: false, children });
    else if (children.length > 0)
      blocks.push({
        type: 'list',
        ordered: false,
        spread: false,
        children: [{ type: 'listItem', spread: false, children }],
      });
  }
  return blocks;
}

const entriesOf = (element: Element, writing: Writing): Element[] =>
  itemsIn(element)
    .filter(writing.isLeft)
    .flatMap((part) => (part.name === 'div' && part.parent ? entriesOf(part, writing) : [part]));
