import { runsOf, textOf } from './fragment.ts';
import { type Row, rowFrom, type Segment, segmentOf } from './rows.ts';

/** A place between two columns, the rows that it divides, and those within which no line crosses it. */
export type Gutter = Span & { x: number; within: Span };
/** Rows `from` one up to another. */
type Span = { from: number; to: number };

/** Columns of prose: characters of a line, and the share of the column that it fills. */
const [PROSE_CHARS, PROSE_FILL] = [16, 0.6];
const MIN_PROSE_ROWS = 3;

export type Side = 'left' | 'right';
export const sidesOf = ({ segments }: Row, x: number): Side[] =>
  segments.map((each) => (each.right <= x ? 'left' : 'right'));

export function divided(band: readonly Row[], x: number): [Row[], Row[]] {
  const side = (wanted: Side) =>
    band
      .map((row) => row.segments.filter((each) => (each.right <= x ? 'left' : 'right') === wanted))
      .filter((segments) => segments.length > 0)
      .map(rowFrom);
  return [side('left'), side('right')];
}

export const wholeOf = ({ segments }: Row): Segment =>
  segmentOf(segments.flatMap(({ fragments }) => fragments));

/** Whether the lines of a column, or of several, are sentences. Words of justified lines may be far apart. */
export function areProse(rows: readonly Row[]): boolean {
  if (rows.length < MIN_PROSE_ROWS) return false;
  const segments = columnsOf(rows).length === 1 ? rows.map(wholeOf) : rows.flatMap((row) => row.segments);
  const width = median(segments.map((each) => each.right - each.x));
  const widest = Math.max(...segments.map((each) => each.right - each.x));
  const chars = median(segments.map(({ fragments }) => textOf(runsOf(fragments)).length));
  return chars >= PROSE_CHARS && width >= PROSE_FILL * widest;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Where the words of a table stand, with white space from its top to its bottom in between. */
export function columnsOf(band: readonly Row[]): [from: number, to: number][] {
  const spans = band.flatMap(({ segments }) => segments).toSorted((a, b) => a.x - b.x);
  const columns: [number, number][] = [];
  for (const { x, right } of spans) {
    const last = columns.at(-1);
    if (last && x < last[1]) last[1] = Math.max(last[1], right);
    else columns.push([x, right]);
  }
  return columns;
}

/** Whether columns of prose stand beside each other. */
export function areBeside(band: readonly Row[], x: number): boolean {
  const [left, right] = divided(band, x);
  const [top, bottom] = [
    Math.max(left[0]?.y ?? 0, right[0]?.y ?? 0),
    Math.min(left.at(-1)?.y ?? 0, right.at(-1)?.y ?? 0),
  ];
  return top < bottom && areProse(left) && areProse(right);
}

/** How many rows belong to the columns of the first: a longer column, or the last lines of a cell. */
export function continuing([first, ...rest]: readonly Row[]): number {
  const starts = first?.segments.map(({ x }) => x) ?? [];
  let previous = first;
  const end = rest.findIndex((row) => {
    const pitch = previous ? Math.abs(row.y - previous.y) / Math.max(row.size, previous.size) : 0;
    previous = row;
    const begin = row.segments[0]?.x ?? 0;
    return pitch >= MAX_PITCH || !starts.some((start) => Math.abs(start - begin) < row.size);
  });
  return end === -1 ? rest.length : end;
}

/** In ems, from a line to the next one of its column. */
const MAX_PITCH = 1.8;

/** In ems, from a line to the next one of its column, with a heading or a paragraph between them. */
const MAX_PROSE_PITCH = 3;

/** Columns of prose to both of their ends, where only one of them has lines. */
export function wholeColumns(rows: readonly Row[], gutter: Gutter): Gutter {
  const { x, from, to, within } = gutter;
  const columns = divided(rows.slice(from, to), x);
  const before = ownRows(rows.slice(within.from, from).toReversed(), x, [columns[0][0], columns[1][0]]);
  const after = ownRows(rows.slice(to, within.to), x, [columns[0].at(-1), columns[1].at(-1)]);
  const begin = before.findLastIndex((row) => sidesOf(row, x)[0] === 'right');
  // Short lines after both columns are of neither.
  const last = to + after.findLastIndex(fillsOne(columns));
  return { ...gutter, from: from - 1 - begin, to: last + 1 + continuing(rows.slice(last, within.to)) };
}

/** The next rows, as long as each is near to the one before it in its column. */
function ownRows(
  rows: readonly Row[],
  x: number,
  nearest: readonly [Row | undefined, Row | undefined],
): Row[] {
  let [left, right] = nearest;
  const end = rows.findIndex((row) => {
    const isLeft = sidesOf(row, x)[0] === 'left';
    const near = isLeft ? left : right;
    if (isLeft) left = row;
    else right = row;
    return near === undefined || Math.abs(row.y - near.y) > MAX_PROSE_PITCH * row.size;
  });
  return rows.slice(0, end === -1 ? rows.length : end);
}

/** Whether a line begins and ends where one of the columns does. */
function fillsOne(columns: readonly (readonly Row[])[]): (row: Row) => boolean {
  const edges = columns.map((column) => {
    const lines = column.map(wholeOf);
    return [Math.min(...lines.map(({ x }) => x)), Math.max(...lines.map((line) => line.right))] as const;
  });
  return (row) => {
    const { x, right } = wholeOf(row);
    return edges.some(
      ([begin, end]) =>
        Math.abs(x - begin) < MAX_INDENT * row.size && Math.abs(right - end) < MAX_RAGGED * (end - begin),
    );
  };
}

/** In ems, at the beginning of a line; of the width of its column, at the end. */
const [MAX_INDENT, MAX_RAGGED] = [3, 0.15];
