import type { Element } from 'domhandler';
import { elementsOf } from '../tree.ts';

export const isCell = ({ name }: Element): boolean => name === 'td' || name === 'th';

type Look = {
  textOf: (cell: Element) => string;
  /** For the other places of a cell over several. Absent: its text. */
  filler?: string;
  mostColumns: number;
};

/** A cell over more rows or columns is taken as one over so many. */
const MAX_SPAN = 1_000;

/** Texts in their columns, with rows of the same length. */
export function gridOf(rows: readonly Element[], { textOf, filler, mostColumns }: Look): string[][] {
  const grid: string[][] = rows.map(() => []);
  rows.forEach((row, top) => {
    let left = 0;
    for (const cell of elementsOf(row).filter(isCell)) {
      while (grid[top]?.[left] !== undefined) left += 1;
      if (left >= mostColumns) break;
      const text = textOf(cell);
      const [right, bottom] = [left + span(cell.attribs.colspan), top + span(cell.attribs.rowspan)];
      for (const line of grid.slice(top, bottom))
        for (let x = left; x < Math.min(right, mostColumns); x += 1) line[x] ??= filler ?? text;
      const line = grid[top];
      if (line) line[left] = text;
      left = right;
    }
  });
  const width = grid.reduce((most, row) => Math.max(most, row.length), 0);
  return grid.map((row) => Array.from({ length: width }, (_, x) => row[x] ?? ''));
}

function span(value: string | undefined): number {
  const count = Number(value ?? 1);
  return Number.isInteger(count) && count > 0 ? Math.min(count, MAX_SPAN) : 1;
}
