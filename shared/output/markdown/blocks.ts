import { type ChildNode, type Element, isTag } from 'domhandler';
import { elementsOf, find } from '../tree.ts';
import { codeBlock, isCodeTable } from './code-block.ts';
import { inline, tidy } from './inline.ts';
import { definitions, list } from './list.ts';
import { escapedStart, linked } from './marks.ts';
import { isBlock, type Writing } from './style.ts';
import { dataTable, isLayout } from './table.ts';

/** The blocks below an element, each of one or more lines. */
export function blocksOf(element: Element, writing: Writing): string[] {
  const blocks: string[] = [];
  let run: ChildNode[] = [];
  const endRun = () => {
    const text = tidy(inline(run, writing), writing);
    if (text !== '') blocks.push(writing.style === 'markdown' ? startsEscaped(text) : text);
    run = [];
  };
  for (const child of element.children) {
    if (!isTag(child) || !writing.isLeft(child) || !holdsBlock(child, writing)) {
      run.push(child);
      continue;
    }
    endRun();
    for (const block of blockOf(child, writing)) if (block !== '') blocks.push(block);
  }
  endRun();
  return blocks;
}

const startsEscaped = (text: string) => text.split('\n').map(escapedStart).join('\n');

function holdsBlock(element: Element, writing: Writing): boolean {
  if (isBlock(element) || isLinesOfCode(element)) return true;
  if (element.name === 'math' || element.children.length === 0) return false;
  return hasBlockBelow(element, writing);
}

/** By page, for every level asks about all levels below it. */
const known = new WeakMap<Writing, Map<Element, boolean>>();

function hasBlockBelow(element: Element, writing: Writing): boolean {
  const answers = known.get(writing) ?? new Map<Element, boolean>();
  known.set(writing, answers);
  const answer =
    answers.get(element) ??
    elementsOf(element).some(
      (inner) => (isBlock(inner) && writing.isLeft(inner)) || hasBlockBelow(inner, writing),
    );
  answers.set(element, answer);
  return answer;
}

/** Code with line breaks that is not in a `pre`. */
const isLinesOfCode = (element: Element) =>
  element.name === 'code' && find(element, ({ name }) => name === 'br') !== undefined;

type Write = (element: Element, writing: Writing) => string[];

const nothing: Write = () => [];
const WRITERS: Readonly<Record<string, Write>> = {
  ul: (element, writing) => [list(element, writing, blocksOf)],
  ol: (element, writing) => [list(element, writing, blocksOf)],
  menu: (element, writing) => [list(element, writing, blocksOf)],
  dl: (element, writing) => [definitions(element, writing, blocksOf)],
  pre: (element, writing) => [codeBlock(element, writing)],
  code: (element, writing) => [codeBlock(element, writing)],
  hr: (_, { style }) => (style === 'markdown' ? ['---'] : []),
  select: nothing,
  blockquote: quote,
  table,
  a: linkedBlocks,
  summary: (element, writing) => strong(element, writing),
  figcaption: (element, writing) => blocksOf(element, writing),
};

function blockOf(element: Element, writing: Writing): string[] {
  const level = /^h([1-6])$/.exec(element.name)?.[1];
  if (level !== undefined) return heading(element, Number(level), writing);
  return (WRITERS[element.name] ?? blocksOf)(element, writing);
}

function heading(element: Element, level: number, writing: Writing): string[] {
  const text = blocksOf(element, writing)
    .join(' ')
    .replace(/\s*\n\s*/g, ' ');
  if (text === '') return [];
  return [writing.style === 'markdown' ? `${'#'.repeat(level)} ${text}` : text];
}

function quote(element: Element, writing: Writing): string[] {
  const text = blocksOf(element, writing).join('\n\n');
  if (text === '' || writing.style === 'text') return text === '' ? [] : [text];
  return [text.replace(/^/gm, '> ').replace(/ +$/gm, (spaces) => (spaces.length === 1 ? '' : spaces))];
}

function table(element: Element, writing: Writing): string[] {
  if (isCodeTable(element)) return [codeBlock(element, writing)];
  return isLayout(element, writing) ? blocksOf(element, writing) : dataTable(element, writing, blocksOf);
}

/** A link around blocks is written around the first of them. */
function linkedBlocks(element: Element, writing: Writing): string[] {
  const blocks = blocksOf(element, writing);
  const url = writing.style === 'markdown' ? writing.absolute(element.attribs.href ?? '') : undefined;
  const index = blocks.findIndex((block) => !block.includes('\n') && !block.includes(']('));
  const block = blocks[index];
  if (url === undefined || block === undefined) return blocks;
  const [, mark = '', text = ''] = /^(#{1,6} )?(.*)$/.exec(block) ?? [];
  return blocks.with(index, `${mark}${linked(text, url)}`);
}

function strong(element: Element, writing: Writing): string[] {
  const text = blocksOf(element, writing).join(' ');
  return text === '' || writing.style === 'text' || /\*\*|^#{1,6} /.test(text) ? [text] : [`**${text}**`];
}
