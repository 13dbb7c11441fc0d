import type { List, ListItem, PhrasingContent, Root, RootContent, Table } from 'mdast';
import { isMark } from './nodes.ts';

/** The words of Markdown without its marks: lists keep their numbers, and tables have tabs between cells. */
export const toText = (root: Root): string => blocksOf(root.children).join('\n\n');

const blocksOf = (nodes: readonly RootContent[]): string[] => nodes.map(textOf).filter((text) => text !== '');

function textOf(node: RootContent): string {
  if (node.type === 'paragraph' || node.type === 'heading') return phrasing(node.children);
  if (node.type === 'code') return node.value;
  if (node.type === 'list') return listText(node);
  if (node.type === 'table') return tableText(node);
  if (node.type === 'footnoteDefinition')
    return `[${node.label ?? ''}] ${blocksOf(node.children).join('\n\n')}`;
  return 'children' in node ? blocksOf(node.children).join('\n\n') : '';
}

function phrasing(nodes: readonly PhrasingContent[]): string {
  return nodes.map(wordsOf).join('');
}

function wordsOf(node: PhrasingContent): string {
  if (isMark(node)) return phrasing(node.children);
  if (node.type === 'break') return '\n';
  if (node.type === 'footnoteReference') return `[${node.label ?? ''}]`;
  if (node.type === 'html') return ' ';
  return 'value' in node ? node.value : '';
}

const listText = (list: List): string =>
  list.children.map((item, index) => itemText(item, list, index)).join('\n');

function itemText(item: ListItem, { ordered, start }: List, index: number): string {
  const mark = ordered ? `${item.data?.number ?? (start ?? 1) + index}. ` : '- ';
  const text = item.children.reduce((before, block) => {
    const own = textOf(block);
    if (before === '' || own === '') return before + own;
    return `${before}${block.type === 'list' ? '\n' : '\n\n'}${own}`;
  }, '');
  return mark + text.replace(/\n(?=.)/g, `\n${' '.repeat(mark.length)}`);
}

const tableText = ({ children }: Table): string => {
  const rows = children.map((row) =>
    row.children.map((cell) => phrasing(cell.children).replace(/\s+/g, ' ').trim()).join('\t'),
  );
  return (rows[0]?.trim() === '' ? rows.slice(1) : rows).join('\n');
};
