import { Element } from 'domhandler';
import { find, findAll } from '../tree.ts';
import { blocksOf } from './blocks.ts';
import type { Style, Writing } from './style.ts';

type Page = Pick<Writing, 'isLeft' | 'absolute'>;

/** Parts of a page as Markdown or as text, ending with a line feed unless it is empty. */
export function write(roots: readonly Element[], style: Style, { isLeft, absolute }: Page): string {
  // A part may itself be a table, a list or a block of code.
  const holder = new Element('div', {});
  holder.children = [...roots];
  const writing = { style, isLeft, absolute, notes: notesOf(holder) };
  const text = blocksOf(holder, writing).join('\n\n');
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
