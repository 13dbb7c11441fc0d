import type { Parents, PhrasingContent, RootContent, TableRow } from 'mdast';

/** TeX, which GitHub's Markdown has between dollar signs. */
export type InlineMath = { type: 'inlineMath'; value: string; isDisplayed: boolean };

declare module 'mdast' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merged with the package's own
  interface PhrasingContentMap {
    inlineMath: InlineMath;
  }
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merged with the package's own
  interface RootContentMap {
    inlineMath: InlineMath;
  }
  // oxlint-disable-next-line typescript/consistent-type-definitions -- merged with the package's own
  interface ListItemData {
    /** The number that the page shows; Markdown has no other than consecutive ones. */
    number?: number;
  }
}

/** What stands in a line, and has other such nodes inside it. */
export type Mark = Extract<PhrasingContent, { children: PhrasingContent[] }>;

export const isMark = (node: PhrasingContent): node is Mark => 'children' in node;

export const withChildren = (mark: Mark, children: PhrasingContent[]): Mark => ({ ...mark, children });

/** Neighbours of one kind as one. */
export const joined = (nodes: readonly PhrasingContent[]): PhrasingContent[] =>
  nodes.reduce<PhrasingContent[]>(added, []);

function added(nodes: PhrasingContent[], node: PhrasingContent): PhrasingContent[] {
  const before = nodes.at(-1);
  if (before?.type === 'text' && node.type === 'text')
    nodes.splice(-1, 1, { type: 'text', value: before.value + node.value });
  else if (before?.type === 'inlineCode' && node.type === 'inlineCode')
    nodes.splice(-1, 1, { type: 'inlineCode', value: before.value + node.value });
  else if (before && isMark(before) && isMark(node) && isSame(before, node))
    nodes.splice(-1, 1, withChildren(before, [...before.children, ...node.children]));
  else nodes.push(node);
  return nodes;
}

const JOINED: ReadonlySet<string> = new Set(['strong', 'emphasis', 'delete']);
const isSame = (one: Mark, other: Mark) => one.type === other.type && JOINED.has(one.type);

/** What stands in the lines of blocks, with something between two blocks. */
export function phrasingIn(
  blocks: readonly RootContent[],
  between: () => PhrasingContent,
): PhrasingContent[] {
  const parts = blocks.flatMap((block) => partsIn(block, between)).filter((part) => part.length > 0);
  return parts.flatMap((part, index) => (index === 0 ? part : [between(), ...part]));
}

function partsIn(block: RootContent, between: () => PhrasingContent): PhrasingContent[][] {
  if (block.type === 'paragraph' || block.type === 'heading') return [block.children];
  if (block.type === 'code') return linesOf(block.value).map((value) => [{ type: 'inlineCode', value }]);
  if (block.type === 'list') return block.children.map((item, index) => itemIn(item, block, index, between));
  if (block.type === 'table')
    return block.children
      .filter(isFilled)
      .map((row) => row.children.flatMap(({ children }) => [...children, space()]));
  return 'children' in block ? [phrasingIn((block as Parents).children as RootContent[], between)] : [];
}

function itemIn(
  item: Extract<RootContent, { type: 'listItem' }>,
  { ordered, start }: Extract<RootContent, { type: 'list' }>,
  index: number,
  between: () => PhrasingContent,
): PhrasingContent[] {
  const number = item.data?.number ?? (start ?? 1) + index;
  const mark: PhrasingContent = { type: 'text', value: ordered ? `${number}. ` : '- ' };
  const inner = phrasingIn(item.children, between);
  return inner.length > 0 ? [mark, ...inner] : [];
}

const isFilled = ({ children }: TableRow) => children.some((cell) => cell.children.length > 0);

const linesOf = (code: string) => code.split(/\s*\n/).filter((line) => line.trim() !== '');

export const space = (): PhrasingContent => ({ type: 'text', value: ' ' });
