import type { Element } from 'domhandler';
import { elementsOf } from '../tree.ts';
import type { Writing } from './style.ts';

type WriteBlocks = (element: Element, writing: Writing) => string[];

/** A list, with what is nested in an item below it. */
export function list(element: Element, writing: Writing, blocksOf: WriteBlocks): string {
  const isOrdered = element.name === 'ol';
  const { start, reversed } = element.attribs;
  const step = reversed === undefined ? 1 : -1;
  let number = numbered(
    start,
    step === 1 ? 1 : elementsOf(element).filter(({ name }) => name === 'li').length,
  );
  const items: string[] = [];
  for (const child of elementsOf(element)) {
    if (!writing.isLeft(child)) continue;
    const isItem = child.name === 'li';
    if (isItem) number = numbered(child.attribs.value, number);
    const note = isItem ? noteMark(child, writing) : undefined;
    const mark = note ?? (isOrdered ? `${number}. ` : '- ');
    const blocks = isItem ? blocksOf(child, writing) : blocksOf(wrapped(child), writing);
    if (blocks.length === 0) continue;
    const body = joined(blocks);
    // Many pages put a nested list beside the item that it belongs to.
    if (!isItem && items.length > 0 && isList(child)) items.push(indented(body, mark.length));
    else items.push(`${mark}${indented(body, mark.length).trimStart()}`);
    if (isItem) number = Math.max(0, number + step);
  }
  return items.join('\n');
}

const isList = ({ name }: Element) => name === 'ul' || name === 'ol' || name === 'menu';
const wrapped = (element: Element): Element => {
  const parent = element.cloneNode(false);
  parent.name = 'div';
  parent.children = [element];
  return parent;
};

/** Markdown has no other numbers than these. */
function numbered(text: string | undefined, otherwise: number): number {
  const number = text?.trim() ? Number(text) : NaN;
  return Number.isInteger(number) && number >= 0 && number < 1e9 ? number : otherwise;
}

function noteMark({ attribs }: Element, { notes, style }: Writing): string | undefined {
  const label = attribs.id === undefined ? undefined : notes.get(attribs.id);
  if (label === undefined) return undefined;
  return style === 'markdown' ? `[^${label}]: ` : `[${label}] `;
}

/** A nested list follows its item's text without an empty line, so that the list stays tight. */
function joined(blocks: readonly string[]): string {
  return blocks.reduce((text, block) => {
    const isNested = /^(?:[-*+]|\d+\.) /.test(block);
    return text === '' ? block : `${text}${isNested ? '\n' : '\n\n'}${block}`;
  }, '');
}

function indented(text: string, width: number): string {
  return text.replace(/^(?=.)/gm, ' '.repeat(width));
}

/** Terms and their descriptions. */
export function definitions(element: Element, writing: Writing, blocksOf: WriteBlocks): string {
  const isMarkdown = writing.style === 'markdown';
  const lines: string[] = [];
  let isAfterTerm = true;
  const add = (parent: Element) => {
    for (const child of elementsOf(parent)) {
      if (!writing.isLeft(child)) continue;
      if (child.name === 'div') add(child);
      const text = child.name === 'div' ? '' : joined(blocksOf(child, writing));
      if (text === '') continue;
      if (child.name === 'dt') lines.push(`${isAfterTerm ? '' : '\n'}${text}`);
      else lines.push(isMarkdown ? `: ${indented(text, 2).trimStart()}` : text);
      isAfterTerm = child.name === 'dt';
    }
  };
  add(element);
  return lines.join('\n');
}
