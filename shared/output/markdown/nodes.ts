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
export function joined(nodes: readonly PhrasingContent[]): PhrasingContent[] {
  const runs: PhrasingContent[][] = [];
  for (const node of nodes) {
    const run = runs.at(-1);
    if (run?.[0]?.type === node.type && JOINED.has(node.type)) run.push(node);
    else runs.push([node]);
  }
  return runs.flatMap(asOne);
}

const JOINED: ReadonlySet<string> = new Set(['text', 'inlineCode', 'strong', 'emphasis', 'delete']);

function asOne(run: readonly PhrasingContent[]): PhrasingContent[] {
  const [first] = run;
  if (!first || run.length === 1) return [...run];
  if (isMark(first))
    return [
      withChildren(
        first,
        run.flatMap((node) => (isMark(node) ? node.children : [])),
      ),
    ];
  return [
    { ...first, value: run.map((node) => ('value' in node ? node.value : '')).join('') } as typeof first,
  ];
}

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
