import type { Delete, Emphasis, InlineCode, ListItem, Parents, Root, Strong, Table, TableRow } from 'mdast';
import { gfmToMarkdown } from 'mdast-util-gfm';
import {
  defaultHandlers,
  type Handle,
  type Info,
  type State,
  toMarkdown as written,
} from 'mdast-util-to-markdown';
import type { InlineMath } from './nodes.ts';

/** GitHub's Markdown: https://github.github.com/gfm/ */
export function toMarkdown(root: Root): string {
  const text = written(root, {
    extensions: [gfmToMarkdown()],
    ...{ bullet: '-', emphasis: '*', strong: '*', fence: '`', rule: '-' },
    ...{ fences: true, resourceLink: true, listItemIndent: 'one', tightDefinitions: true },
    join: [tightLists],
    handlers: { ...HANDLERS },
  });
  return text.replace(/\n$/, '');
}

/** A list follows the text of its item without an empty line. */
const tightLists = (_: unknown, right: { type: string }, parent: Parents) =>
  parent.type === 'listItem' && right.type === 'list' ? 0 : undefined;

const delimited =
  (mark: string): Handle =>
  (node: Strong | Emphasis | Delete, _, state, info) => {
    const exit = state.enter('emphasis');
    const tracker = state.createTracker(info);
    const around = mark.charAt(0);
    const open = tracker.move(mark);
    const inner = state.containerPhrasing(node, { before: around, after: around, ...tracker.current() });
    exit();
    return open + tracker.move(inner) + mark;
  };

const peek = (mark: string, handle: Handle): Handle => Object.assign(handle, { peek: () => mark });

/** What some construct of Markdown may begin or end with; looking for each takes long. */
const SPECIAL = /[^\p{L}\p{M}\p{N} ,;?%/'’“”–—…€$£©®°·•]|^ | $|\d[.)]|\bwww/iu;

const HANDLERS: Readonly<Record<string, Handle>> = {
  text: ({ value }: { value: string }, _, state, info) =>
    SPECIAL.test(value) ? readable(state.safe(value, info)) : value,
  strong: peek('*', delimited('**')),
  emphasis: peek('*', delimited('*')),
  delete: peek('~', delimited('~~')),
  break: (_, __, state) => (state.stack.includes('headingAtx') ? ' ' : '  \n'),
  inlineMath: peek('$', ({ value, isDisplayed }: InlineMath) =>
    isDisplayed ? `$$${value}$$` : `$${value}$`,
  ),
  inlineCode: peek('`', inlineCode),
  listItem,
  table,
};

/**
 * Without escapes that no reader needs: of an underscore inside a word, of what is no character
 * reference, and of a bracket that begins no link.
 */
const readable = (text: string): string =>
  text
    .replace(/(?<=[\p{L}\p{N}])\\_(?=[\p{L}\p{N}])/gu, '_')
    .replace(/\\&(?!#?\w{1,40};)/g, '&')
    .replace(/(?<=\])\\\(/g, '(')
    // The package passes over the second of two addresses that overlap.
    .replace(/(?<=[+\-.\w])@(?=[-.\w])/g, '\\@');

/** In a cell a bar is escaped, also in code, where a backslash before it cannot be written. */
function inlineCode(node: InlineCode, _: unknown, state: State, info: Info): string {
  const isInCell = state.stack.includes('tableCell');
  if (isInCell && node.value.includes('\\|')) return state.safe(node.value, info);
  const written = defaultHandlers.inlineCode(node, undefined, state);
  return isInCell ? written.replaceAll('|', '\\|') : written;
}

function listItem(node: ListItem, parent: Parents | undefined, state: State, info: Info): string {
  const bullet = bulletOf(node, parent, state);
  const size = bullet.length + 1;
  const tracker = state.createTracker(info);
  tracker.move(`${bullet} `);
  tracker.shift(size);
  const exit = state.enter('listItem');
  const flow = state.containerFlow(node, tracker.current());
  exit();
  return state.indentLines(flow, (line, index, isBlank) => {
    if (index > 0) return isBlank ? '' : ' '.repeat(size) + line;
    return isBlank ? bullet : `${bullet} ${line}`;
  });
}

function bulletOf(node: ListItem, parent: Parents | undefined, state: State): string {
  const { bulletCurrent = '-' } = state;
  if (parent?.type !== 'list' || !parent.ordered) return bulletCurrent;
  const number = node.data?.number ?? (parent.start ?? 1) + parent.children.indexOf(node);
  return `${number}${bulletCurrent.endsWith(')') ? ')' : '.'}`;
}

function table(node: Table, _: unknown, state: State, info: Info): string {
  const exit = state.enter('table');
  const [head, ...rows] = node.children.map((row) => cellsOf(row, state, info));
  exit();
  const lines = [head ?? [], (head ?? []).map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cellsOf(row: TableRow, state: State, info: Info): string[] {
  return row.children.map((cell) => {
    const exit = state.enter('tableCell');
    const phrasing = state.enter('phrasing');
    const text = state.containerPhrasing(cell, { ...info, before: '|', after: '|' });
    phrasing();
    exit();
    return text;
  });
}
