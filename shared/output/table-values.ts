import type { Element } from 'domhandler';
import { elementsOf, find } from '../html/tree.ts';
import { gridOf } from './markdown/grid.ts';
import { rowsOf } from './markdown/table.ts';
import { visibleText } from './visible-text.ts';

type Tidy = (text: string) => string;

/** The rows of a table as lists of texts, without its header. */
export function tableArray(element: Element, tidy: Tidy): string[][] | undefined {
  const rows = rowsIn(element);
  if (!rows) return undefined;
  const grid = texts(rows, tidy);
  return grid.filter((_, index) => hasData(rows[index]));
}

/** The rows of a table as objects, under the names in its first row. */
export function tableObjects(element: Element, tidy: Tidy): Record<string, string>[] | undefined {
  const [head, ...rows] = texts(rowsIn(element) ?? [], tidy);
  if (!head) return undefined;
  const names = distinct(head.map((name, index) => name || `column_${index + 1}`));
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, row[index] ?? ''])));
}

function rowsIn(element: Element): Element[] | undefined {
  const table = element.name === 'table' ? element : find(element, ({ name }) => name === 'table');
  return table && rowsOf(table);
}

const hasData = (row: Element | undefined) => row && elementsOf(row).some(({ name }) => name === 'td');

/** A cell over several rows or columns is the value of each. */
const texts = (rows: readonly Element[], tidy: Tidy) =>
  gridOf(rows, { valueOf: (cell) => tidy(visibleText(cell)), filler: (value) => value, empty: '' });

/** The second column of a name has another: `price`, `price_2`. */
function distinct(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let count = 2; taken.has(free); count += 1) free = `${name}_${count}`;
    taken.add(free);
    return free;
  });
}
