import type { Element } from 'domhandler';
import { elementsOf, find } from './tree.ts';
import { rowsOf } from './markdown/table.ts';
import { visibleText } from './visible-text.ts';

type Tidy = (text: string) => string;

const EVERYTHING = { isLeft: () => true };
const isCell = ({ name }: Element) => name === 'td' || name === 'th';

/** The rows of a table as lists of texts, without its header. */
export function tableArray(element: Element, tidy: Tidy): string[][] | undefined {
  const rows = rowsIn(element);
  return rows && body(rows).map((row) => texts(row, tidy));
}

/** The rows of a table as objects, under the names in its first row. */
export function tableObjects(element: Element, tidy: Tidy): Record<string, string>[] | undefined {
  const rows = rowsIn(element);
  const [head] = rows ?? [];
  if (!rows || !head) return undefined;
  const names = texts(head, tidy).map((name, index) => name || `column_${index + 1}`);
  return rows.slice(1).map((row) => {
    const values = texts(row, tidy);
    return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']));
  });
}

function rowsIn(element: Element): Element[] | undefined {
  const table = element.name === 'table' ? element : find(element, ({ name }) => name === 'table');
  return table && rowsOf(table, EVERYTHING as never);
}

const body = (rows: readonly Element[]) =>
  rows.filter((row) => elementsOf(row).some(({ name }) => name === 'td'));
const texts = (row: Element, tidy: Tidy) =>
  elementsOf(row)
    .filter(isCell)
    .map((cell) => tidy(visibleText(cell)));
