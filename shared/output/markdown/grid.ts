import type { Element } from 'domhandler';
import { elementsOf } from '../../html/tree.ts';

export const isCell = ({ name }: Element): boolean => name === 'td' || name === 'th';

type Look<T> = {
  valueOf: (cell: Element) => T;
  /** For the other places of a cell over several, and for places without a cell. */
  filler: (value: T) => T;
  empty: T;
};

/** Places that a table may have: the standard has no such limit. */
const MAX_PLACES = 200_000;
const MAX_COLUMNS = 1_000;

/** Values in their columns, with rows of the same length. Too large ones have their cells side by side. */
export function gridOf<T>(rows: readonly Element[], { valueOf, filler, empty }: Look<T>): T[][] {
  const grid: T[][] = rows.map(() => []);
  let left = MAX_PLACES;
  rows.forEach((row, top) => {
    let column = 0;
    for (const cell of elementsOf(row).filter(isCell)) {
      while (grid[top]?.[column] !== undefined) column += 1;
      const value = valueOf(cell);
      const height = heightOf(cell, rows, top);
      const isOver = (left -= widthOf(cell) * height) < 0 || column + widthOf(cell) > MAX_COLUMNS;
      const [width, lines] = isOver ? [1, 1] : [widthOf(cell), height];
      for (const line of grid.slice(top, top + lines))
        for (let x = column; x < column + width; x += 1) line[x] ??= filler(value);
      const line = grid[top];
      if (line) line[column] = value;
      column += width;
    }
  });
  const width = grid.reduce((most, row) => Math.max(most, row.length), 0);
  return grid.map((row) => Array.from({ length: width }, (_, x) => row[x] ?? empty));
}

const widthOf = ({ attribs }: Element) => Math.min(MAX_COLUMNS, Math.max(1, integer(attribs.colspan) ?? 1));

/** A cell ends with its group of rows; one of no rows reaches to that end. */
function heightOf({ attribs }: Element, rows: readonly Element[], top: number): number {
  const group = rows[top]?.parent;
  let end = top + 1;
  const wanted = integer(attribs.rowspan) ?? 1;
  while (rows[end]?.parent === group && end < rows.length && (wanted === 0 || end < top + wanted)) end += 1;
  return end - top;
}

/** https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#rules-for-parsing-non-negative-integers */
function integer(value: string | undefined): number | undefined {
  const [, digits] = /^[\t\n\f\r ]*\+?(\d+)/.exec(value ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}
