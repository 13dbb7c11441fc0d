import type { Element } from 'domhandler';
import { type ChildNode, isTag } from 'domhandler';
import type { BlockContent, PhrasingContent, RootContent } from 'mdast';
import { find } from '../../html/tree.ts';
import { codeBlock, isCode } from './code-block.ts';
import { isGutter } from './gutter.ts';
import { encoded } from './image.ts';
import { definitions, list } from './list.ts';
import { isMark, phrasingIn, space } from './nodes.ts';
import { phrasingOf } from './phrasing.ts';
import { isBlock, type Writing } from './style.ts';
import { dataTable, isLayout } from './table.ts';
import { lineOf, paragraphsIn } from './tidy.ts';

/** The blocks below an element. */
export function flowOf(element: Element, writing: Writing): BlockContent[] {
  const blocks: BlockContent[] = [];
  let run: ChildNode[] = [];
  const endRun = () => {
    for (const children of paragraphsIn(phrasingOf(run, writing)))
      blocks.push({ type: 'paragraph', children });
    run = [];
  };
  for (const child of element.children) {
    if (!isTag(child) || !writing.isLeft(child) || !writing.holdsBlock(child)) {
      run.push(child);
      continue;
    }
    endRun();
    for (const block of blockOf(child, writing)) blocks.push(block as BlockContent);
  }
  endRun();
  return blocks;
}

/** Whether an element is a block or contains one; each is visited once. */
export function blockFinder(isLeft: Writing['isLeft']): Writing['holdsBlock'] {
  const known = new Map<Element, boolean>();
  const holdsBlock = (element: Element): boolean => {
    const found = known.get(element);
    if (found !== undefined) return found;
    const isIt = isBlock(element) || isLinesOfCode(element) || isCode(element);
    const holds = isIt || (element.name !== 'math' && element.children.some(isBlockChild));
    known.set(element, holds);
    return holds;
  };
  const isBlockChild = (child: ChildNode) => isTag(child) && isLeft(child) && holdsBlock(child);
  return holdsBlock;
}

/** Code with line breaks that is not in a `pre`. */
const isLinesOfCode = (element: Element) =>
  element.name === 'code' && find(element, ({ name }) => name === 'br') !== undefined;

type Read = (element: Element, writing: Writing) => RootContent[];

const READERS: Readonly<Record<string, Read>> = {
  ul: (element, writing) => list(element, writing, flowOf),
  ol: (element, writing) => list(element, writing, flowOf),
  menu: (element, writing) => list(element, writing, flowOf),
  dl: (element, writing) => definitions(element, writing, flowOf),
  pre: codeBlock,
  code: codeBlock,
  hr: () => [{ type: 'thematicBreak' }],
  select: () => [],
  blockquote: (element, writing) => around('blockquote', flowOf(element, writing)),
  table: (element, writing) =>
    isLayout(element, writing) ? flowOf(element, writing) : dataTable(element, writing, flowOf),
  a: linkedBlocks,
  summary: strong,
};

function blockOf(element: Element, writing: Writing): RootContent[] {
  if (isGutter(element)) return [];
  if (isCode(element)) return codeBlock(element);
  const level = /^h([1-6])$/.exec(element.name)?.[1];
  if (level !== undefined) return heading(element, Number(level) as 1, writing);
  return (READERS[element.name] ?? flowOf)(element, writing);
}

const around = (type: 'blockquote', children: BlockContent[]): BlockContent[] =>
  children.length > 0 ? [{ type, children }] : [];

function heading(element: Element, depth: 1, writing: Writing): BlockContent[] {
  const children = lineOf(phrasingIn(flowOf(element, writing), space));
  return children.length > 0 ? [{ type: 'heading', depth, children }] : [];
}

function strong(element: Element, writing: Writing): BlockContent[] {
  const blocks = flowOf(element, writing);
  const isTitled = blocks.some(({ type }) => type === 'heading');
  const children = lineOf([{ type: 'strong', children: phrasingIn(blocks, space) }]);
  if (isTitled || blocks.length === 0) return blocks;
  return [{ type: 'paragraph', children }];
}

/** A link around blocks is written around the first of them that can have it. */
function linkedBlocks(element: Element, writing: Writing): BlockContent[] {
  const blocks = flowOf(element, writing);
  const url = writing.absolute(element.attribs.href ?? '');
  const line = url === undefined ? undefined : firstLine(blocks);
  if (url !== undefined && line)
    line.children = lineOf([{ type: 'link', url: encoded(url), children: line.children }]);
  return blocks;
}

type Line = Extract<RootContent, { children: PhrasingContent[] }>;

function firstLine(blocks: readonly RootContent[]): Line | undefined {
  for (const block of blocks) {
    if (block.type === 'paragraph' || block.type === 'heading') {
      if (!block.children.some(hasLink)) return block;
    } else if ('children' in block) {
      const found = firstLine(block.children);
      if (found) return found;
    }
  }
  return undefined;
}

const hasLink = (node: PhrasingContent): boolean =>
  node.type === 'link' || node.type === 'footnoteReference' || (isMark(node) && node.children.some(hasLink));
