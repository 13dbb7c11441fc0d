import { Element } from 'domhandler';
import type { Root } from 'mdast';
import { find, findAll } from '../../html/tree.ts';
import { blockFinder, flowOf } from './flow.ts';
import type { Writing } from './style.ts';
import { toMarkdown } from './to-markdown.ts';
import { toText } from './to-text.ts';

type Page = Pick<Writing, 'isLeft' | 'absolute'>;

/** Parts of a page as Markdown or as text, ending with a line feed unless it is empty. */
export function write(
  roots: readonly Element[],
  style: 'markdown' | 'text',
  { isLeft, absolute }: Page,
): string {
  // A part may itself be a table, a list or a block of code.
  const holder = new Element('div', {});
  holder.children = [...roots];
  const writing = { isLeft, absolute, notes: notesOf(holder), holdsBlock: blockFinder(isLeft) };
  const root: Root = { type: 'root', children: flowOf(holder, writing) };
  const text = style === 'markdown' ? toMarkdown(root) : toText(root);
  return text === '' ? '' : `${text}\n`;
}

const NOTES = /(?:^|[\s_-])(?:footnotes?|endnotes?|references|reflist)(?:$|[\s_-])/i;

/** Footnotes by their ids, numbered in order. */
function notesOf(root: Element): Map<string, string> {
  const lists = findAll(
    root,
    ({ attribs }) => attribs.role === 'doc-endnotes' || NOTES.test(attribs.class ?? ''),
  );
  const items = lists.flatMap((list) =>
    findAll(list, ({ name, attribs }) => name === 'li' && attribs.id !== undefined),
  );
  const ids = [...new Set(items.map(({ attribs }) => attribs.id ?? ''))];
  const isReferred = (id: string) =>
    find(root, ({ name, attribs }) => name === 'a' && attribs.href?.endsWith(`#${id}`) === true) !==
    undefined;
  return new Map(
    ids
      .slice(0, 500)
      .filter(isReferred)
      .map((id, index) => [id, String(index + 1)]),
  );
}
