import type { Element } from 'domhandler';
import type { BlockContent, PhrasingContent, TableRow } from 'mdast';
import { elementsOf, find, rawText } from '../../html/tree.ts';
import { gridOf, isCell } from './grid.ts';
import { phrasingIn } from './nodes.ts';
import type { Writing } from './style.ts';
import { lineOf } from './tidy.ts';

/** Above these a table is laid out as blocks. */
const MAX_COLUMNS = 100;
const MAX_CELL = 5_000;

type FlowOf = (element: Element, writing: Writing) => BlockContent[];

const GROUPS: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot']);

/** A table's own rows, without rows of tables inside it; a header's rows come first. */
export function rowsOf(table: Element, isLeft: Writing['isLeft'] = () => true): Element[] {
  return elementsOf(table)
    .filter(isLeft)
    .toSorted((a, b) => placeIn(a) - placeIn(b))
    .flatMap((child) => (GROUPS.has(child.name) ? elementsOf(child).filter(isLeft) : [child]))
    .filter(({ name }) => name === 'tr');
}

/** Browsers show a footer last, even if it comes first. */
const placeIn = ({ name }: Element) => (name === 'thead' ? 0 : name === 'tfoot' ? 2 : 1);

/** True for a table that only arranges the page, or that is too large for lines of cells. */
export function isLayout(table: Element, { isLeft }: Writing): boolean {
  const { role } = table.attribs;
  if (role === 'presentation' || role === 'none') return true;
  const rows = rowsOf(table, isLeft);
  const cells = rows.map((row) => elementsOf(row).filter(isCell));
  const widest = cells.reduce((most, some) => Math.max(most, some.length), 0);
  if (widest < 2 || widest > MAX_COLUMNS) return true;
  if (cells.flat().some((cell) => rawText(cell).length > MAX_CELL)) return true;
  const isMarked = (element: Element) => element.name === 'th' || element.name === 'caption';
  if ([...elementsOf(table), ...cells.flat()].some(isMarked)) return false;
  return find(table, ({ name }) => /^(?:h[1-6]|form|nav|article|section|table)$/.test(name)) !== undefined;
}

/** A GFM table below its caption; without a header of its own it gets an empty one, which GFM needs. */
export function dataTable(table: Element, writing: Writing, flowOf: FlowOf): BlockContent[] {
  const rows = rowsOf(table, writing.isLeft);
  const cellOf = (cell: Element) =>
    writing.isLeft(cell) ? lineOf(phrasingIn(flowOf(cell, writing), lineEnd)) : [];
  const grid = gridOf<PhrasingContent[]>(rows, { valueOf: cellOf, filler: () => [], empty: [] });
  const caption = elementsOf(table).find(({ name }) => name === 'caption');
  const before = caption && writing.isLeft(caption) ? flowOf(caption, writing) : [];
  const lines = isHeader(rows[0]) ? grid : [(grid[0] ?? []).map(() => []), ...grid];
  return [...before, { type: 'table', children: lines.map(rowOf) }];
}

/** What ends a line inside a cell. */
const lineEnd = (): PhrasingContent => ({ type: 'html', value: '<br>' });

const rowOf = (cells: PhrasingContent[][]): TableRow => ({
  type: 'tableRow',
  children: cells.map((children) => ({ type: 'tableCell', children })),
});

function isHeader(row: Element | undefined): boolean {
  if (!row) return false;
  const cells = elementsOf(row).filter(isCell);
  const { parent } = row;
  const inHead = parent !== null && 'name' in parent && parent.name === 'thead';
  return inHead || (cells.length > 0 && cells.every(({ name }) => name === 'th'));
}
