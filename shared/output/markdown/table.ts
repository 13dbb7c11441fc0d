import type { Element } from 'domhandler';
import { elementsOf, find } from '../tree.ts';
import { gridOf, isCell } from './grid.ts';
import type { Writing } from './style.ts';

/** Above these a table is laid out as blocks. */
const MAX_COLUMNS = 100;
const MAX_CELL = 5_000;

type WriteBlocks = (element: Element, writing: Writing) => string[];

const GROUPS: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot']);

/** A table's own rows, without those of tables inside it; a header's rows come first. */
export function rowsOf(table: Element, { isLeft }: Writing): Element[] {
  return elementsOf(table)
    .filter(isLeft)
    .toSorted((a, b) => placeIn(a) - placeIn(b))
    .flatMap((child) => (GROUPS.has(child.name) ? elementsOf(child).filter(isLeft) : [child]))
    .filter(({ name }) => name === 'tr');
}

/** Browsers show a footer last, even if it comes first. */
const placeIn = ({ name }: Element) => (name === 'thead' ? 0 : name === 'tfoot' ? 2 : 1);

/** True for a table that only arranges the page. */
export function isLayout(table: Element, writing: Writing): boolean {
  const { role } = table.attribs;
  if (role === 'presentation' || role === 'none') return true;
  const rows = rowsOf(table, writing);
  const widest = Math.max(0, ...rows.slice(0, 1_000).map((row) => elementsOf(row).filter(isCell).length));
  if (widest < 2 || widest > MAX_COLUMNS) return true;
  const isMarked = (element: Element) => element.name === 'th' || element.name === 'caption';
  if ([...elementsOf(table), ...rows.flatMap(elementsOf)].some(isMarked)) return false;
  return find(table, ({ name }) => /^(?:h[1-6]|form|nav|article|section|table)$/.test(name)) !== undefined;
}

/** A GFM table; without a header of its own it gets an empty one, which GFM needs. */
export function dataTable(table: Element, writing: Writing, blocksOf: WriteBlocks): string[] {
  const rows = rowsOf(table, writing);
  const textOf = (cell: Element) => cellText(cell, writing, blocksOf);
  const grid = gridOf(rows, { textOf, filler: '', mostColumns: MAX_COLUMNS });
  const caption = elementsOf(table).find(({ name }) => name === 'caption');
  const before = caption && writing.isLeft(caption) ? blocksOf(caption, writing) : [];
  if (writing.style === 'text') return [...before, grid.map((row) => row.join('\t')).join('\n')];
  const [first, ...others] = isHeader(rows[0]) ? grid : [emptyRow(grid), ...grid];
  const lines = [first ?? [], (first ?? []).map(() => '---'), ...others];
  return [...before, lines.map((row) => `| ${row.join(' | ')} |`).join('\n')];
}

function isHeader(row: Element | undefined): boolean {
  if (!row) return false;
  const cells = elementsOf(row).filter(isCell);
  const { parent } = row;
  const inHead = parent !== null && 'name' in parent && parent.name === 'thead';
  return inHead || (cells.length > 0 && cells.every(({ name }) => name === 'th'));
}

const emptyRow = (grid: readonly string[][]) => (grid[0] ?? []).map(() => '');

/** The blocks of a cell on one line. */
function cellText(cell: Element, writing: Writing, blocksOf: WriteBlocks): string {
  const text = blocksOf(cell, writing).join('\n').slice(0, MAX_CELL);
  if (writing.style === 'text') return text.replace(/\s+/g, ' ').trim();
  return text
    .replace(/^```\S*\n([\s\S]*?)\n```$/gm, (_, code: string) => `\`${code.replaceAll('\n', '`<br>`')}\``)
    .replace(/\|/g, '\\|')
    .replace(/[ \t]*\n\s*/g, '<br>')
    .trim();
}
