import { expect, test } from 'vitest';
import type { Fragment } from '../../shared/output/document/pdf/fragment.ts';
import { fragmentsByAngle } from '../../shared/output/document/pdf/fragments-of-page.ts';
import {
  htmlOfStructure,
  type StructureChild,
  type StructureNode,
} from '../../shared/output/document/pdf/structure.ts';

/** A page of texts that each have a mark, and a line, of their own. */
function page() {
  const fragments: Fragment[] = [];
  const text = (words: string, isBeside = false): StructureChild => {
    const id = `m${fragments.length}`;
    const y = (fragments.at(-1)?.y ?? 0) + (isBeside ? 0 : 12);
    fragments.push({ text: words, x: 0, y, width: 30, size: 10, isRtl: false, mark: id });
    return { type: 'content', id };
  };
  const node = (role: string, ...children: StructureChild[]): StructureNode => ({ role, children });
  return { fragments, text, node };
}

test('cells of a tagged table span the rows and columns that they name', () => {
  const { fragments, text, node } = page();
  const wide = { ...node('TH', text('Values')), colSpan: 2 };
  const tall = { ...node('TD', text('A')), rowSpan: 2 };
  const table = node(
    'Table',
    node('TR', node('TH', text('Name')), wide),
    node('TR', tall, node('TD', text('1')), node('TD', text('2'))),
    node('TR', node('TD', text('3')), { ...node('TD', text('4')), colSpan: 2 ** 31 }),
  );
  expect(htmlOfStructure(node('Root', table), fragments)).toBe(
    '<table><tr><th>Name</th><th colspan="2">Values</th></tr><tr><td rowspan="2">A</td><td>1</td><td>2</td></tr><tr><td>3</td><td colspan="1000">4</td></tr></table>',
  );
});

test('a tagged list begins with the number that it shows', () => {
  const { fragments, text, node } = page();
  const item = (label: string, words: string) =>
    node('LI', node('Lbl', text(label)), node('LBody', text(words, true)));
  const list = node('L', item('3. ', 'three'), item('4. ', 'four'));
  expect(htmlOfStructure(node('Root', list), fragments)).toBe(
    '<ol start="3"><li>three</li><li>four</li></ol>',
  );
});

test('parts of a tagged page on lines of their own are paragraphs, and parts of a line are one', () => {
  const { fragments, text, node } = page();
  const parts = [
    node('NonStruct', text('Term')),
    node('NonStruct', text('and ')),
    node('NonStruct', text('more', true)),
  ];
  expect(htmlOfStructure(node('Document', ...parts), fragments)).toBe('<p>Term</p><p>and more</p>');
});

test('Arabic letters have no forms that depend on their place', () => {
  const item = { str: '\ufee3\ufeae\ufea3\ufe92\ufe8e', dir: 'rtl', width: 50, height: 10 };
  const items = [{ ...item, transform: [10, 0, 0, 10, 50, 50], hasEOL: false }];
  const [[fragment] = []] = fragmentsByAngle(items, [], { transform: [1, 0, 0, -1, 0, 800] });
  expect(fragment?.text).toBe('\u0645\u0631\u062d\u0628\u0627');
});
