import type { Element } from 'domhandler';
import { parseXml } from '../../html/parse-xml.ts';
import { type Cell, element, escaped, linked, pageOf, tableOf } from './html.ts';
import { aboutOfOffice, hrefOf, mainPart, type Relation, relationsOf } from './ooxml.ts';
import { choosePages } from './pages.ts';
import type { Reading, Wanted } from './reading.ts';
import { dateFormats, shownValue, sharedStrings, type Shared } from './xlsx-values.ts';
import { all, attribute, firstOf } from './xml.ts';
import { type Archive, openZip } from './zip.ts';

/** Reads a workbook: each sheet that is shown as a heading and a table of the cells in use. */
export function readXlsx(bytes: Uint8Array, wanted: Wanted): Reading {
  const archive = openZip(bytes);
  const main = mainPart(archive);
  const relations = relationsOf(archive, main);
  const book = parseXml(archive.text(main));
  const part = (type: string) =>
    [...relations.values()].find((relation) => relation.type.endsWith(`/${type}`))?.target ?? '';
  const sheets = all(book, 'sheet').filter(({ attribs }) => (attribs.state ?? 'visible') === 'visible');
  const numbers = choosePages(sheets.length, wanted);
  const shared = {
    strings: sharedStrings(archive.text(part('sharedStrings'))),
    formats: dateFormats(archive.text(part('styles'))),
    isFrom1904: /^(?:1|true)$/.test(firstOf(book, 'workbookPr')?.attribs.date1904 ?? ''),
  };
  const body = numbers.map((number) => {
    const sheet = sheets[number - 1];
    const target = relations.get(sheet?.attribs['r:id'] ?? (sheet && attribute(sheet, 'id')) ?? '')?.target;
    return element('h2', escaped(sheet?.attribs.name ?? '')) + sheetOf(archive, target ?? '', shared);
  });
  const html = pageOf(body.join(''), aboutOfOffice(archive));
  return { html, kind: 'text', pages: sheets.length, read: numbers.length };
}

/** Where a cell is, from 0. */
type Place = { row: number; column: number };

/** `BC12` */
function placeOf(reference = ''): Place | undefined {
  const [, letters, digits] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(reference) ?? [];
  if (letters === undefined) return undefined;
  const column = Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return { row: Number(digits) - 1, column };
}

const keyOf = ({ row, column }: Place) => `${row},${column}`;

function sheetOf(archive: Archive, name: string, shared: Shared): string {
  const xml = parseXml(archive.text(name));
  const relations = relationsOf(archive, name);
  const links = new Map(all(xml, 'hyperlink').map((link) => linkIn(link, relations)));
  const cells = new Map<number, Map<number, string>>();
  let next = { row: 0, column: 0 };
  for (const row of all(xml, 'row')) {
    next = { row: Number(row.attribs.r ?? next.row + 1) - 1, column: 0 };
    for (const cell of all(row, 'c')) {
      const place = placeOf(cell.attribs.r) ?? next;
      next = { ...place, column: place.column + 1 };
      const text = escaped(shownValue(cell, shared)).replaceAll('\n', '<br>');
      if (text.trim() === '') continue;
      const columns = cells.get(place.row) ?? new Map<number, string>();
      columns.set(place.column, linked(text, links.get(cell.attribs.r ?? '')));
      cells.set(place.row, columns);
    }
    next = { row: next.row + 1, column: 0 };
  }
  return tableOf(filled(cells, all(xml, 'mergeCell')));
}

/** The first cell of a link, and where it leads; the part behind `#` stands apart. */
function linkIn(
  { attribs }: Element,
  relations: ReadonlyMap<string, Relation>,
): [string, string | undefined] {
  const href = hrefOf(relations, attribute({ attribs }, 'id'));
  const { ref = '', location } = attribs;
  return [ref.split(':')[0] ?? '', href !== undefined && location ? `${href}#${location}` : href];
}

/** The table of all rows and columns in use. Empty ones between them have no words, and are left out. */
function filled(
  cells: ReadonlyMap<number, ReadonlyMap<number, string>>,
  merged: readonly Element[],
): Cell[][] {
  const rows = [...cells.keys()].toSorted((a, b) => a - b);
  const columns = [...new Set([...cells.values()].flatMap((row) => [...row.keys()]))].toSorted(
    (a, b) => a - b,
  );
  const spans = new Map<string, { colspan: number; rowspan: number }>();
  const covered = new Set<string>();
  for (const { attribs } of merged.slice(0, MAX_MERGED)) {
    const [from, to] = (attribs.ref ?? '').split(':').map(placeOf);
    if (!from || !to || !cells.get(from.row)?.has(from.column)) continue;
    const inRows = rows.filter((row) => row >= from.row && row <= to.row);
    const inColumns = columns.filter((column) => column >= from.column && column <= to.column);
    spans.set(keyOf(from), { colspan: inColumns.length, rowspan: inRows.length });
    for (const row of inRows) for (const column of inColumns) covered.add(keyOf({ row, column }));
    covered.delete(keyOf(from));
  }
  return rows.map((row) =>
    columns
      .filter((column) => !covered.has(keyOf({ row, column })))
      .map((column) => ({ html: cells.get(row)?.get(column) ?? '', ...spans.get(keyOf({ row, column })) })),
  );
}

const MAX_MERGED = 1_000;
