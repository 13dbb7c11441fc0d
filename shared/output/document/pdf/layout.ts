import { runsOf, textOf } from './fragment.ts';
import { type Row, rowFrom, type Segment, segmentOf } from './rows.ts';

/** A part of a page: lines that follow each other, or a table of cells. */
export type Area = { kind: 'lines'; rows: Segment[] } | { kind: 'table'; rows: Segment[][][] };

/** A place between two columns, and the rows from `from` to `to` that it divides. */
type Gutter = { x: number; from: number; to: number };

const MAX_NESTING = 8;
/** More stand on no page that is laid out in columns. */
const MAX_ROWS = 2_000;
const MIN_ROWS = 2;
/** Columns of prose: characters of a line, and the share of the column that it fills. */
const [PROSE_CHARS, PROSE_FILL] = [16, 0.6];
const MIN_PROSE_ROWS = 3;

/** The parts of a page in reading order: a column whole before the one beside it. */
export function layOut(rows: readonly Row[], nesting = 0): Area[] {
  const gutter = nesting < MAX_NESTING && rows.length <= MAX_ROWS ? bestGutter(rows) : undefined;
  if (gutter === undefined) return linesOf(rows);
  const { x, from, to } = gutter;
  const band = rows.slice(from, to);
  const [left, right] = divided(band, x);
  const isProse = areProse(left) && areProse(right);
  const inside = isProse ? [...layOut(left, nesting + 1), ...layOut(right, nesting + 1)] : tableArea(band);
  return [...layOut(rows.slice(0, from), nesting), ...inside, ...layOut(rows.slice(to), nesting)];
}

function linesOf(rows: readonly Row[]): Area[] {
  if (rows.length === 0) return [];
  const lines = rows.map(({ segments }) => segmentOf(segments.flatMap(({ fragments }) => fragments)));
  return [{ kind: 'lines', rows: lines }];
}

const crosses = ({ segments }: Row, x: number) => segments.some((each) => each.x < x && each.right > x);

/** The gutter with the most rows at both of its sides. */
function bestGutter(rows: readonly Row[]): Gutter | undefined {
  let best: (Gutter & { score: number }) | undefined;
  for (const x of candidates(rows)) {
    let from = 0;
    for (let at = 0; at <= rows.length; at += 1) {
      const row = rows[at];
      if (row && !crosses(row, x)) continue;
      const found = trimmed(rows, { x, from, to: at });
      if (found.score >= MIN_ROWS && found.score > (best?.score ?? 0)) best = found;
      from = at + 1;
    }
  }
  return best;
}

const MAX_CANDIDATES = 60;

/** Middles of the gaps in rows, and places right of what stands alone in its row. */
function candidates(rows: readonly Row[]): number[] {
  const gaps = rows.flatMap(({ segments }) =>
    segments.slice(1).map((each, at) => (each.x + (segments[at]?.right ?? each.x)) / 2),
  );
  const starts = rows.map(({ segments: [first], size }) => (first?.x ?? 0) - size / 4);
  const counts = new Map<number, number>();
  for (const x of [...gaps, ...starts].map(Math.round)) counts.set(x, (counts.get(x) ?? 0) + 1);
  const often = [...counts].toSorted(([, a], [, b]) => b - a);
  return often.slice(0, MAX_CANDIDATES).map(([x]) => x);
}

type Side = 'left' | 'right';
const sidesOf = ({ segments }: Row, x: number): Side[] =>
  segments.map((each) => (each.right <= x ? 'left' : 'right'));

/** The same rows without those at its ends that stand at one side only: lines before and after it. */
function trimmed(rows: readonly Row[], { x, from, to }: Gutter): Gutter & { score: number } {
  const sides = rows.slice(from, to).map((row) => new Set(sidesOf(row, x)));
  const count = (side: Side) => sides.filter((each) => each.has(side)).length;
  const score = Math.min(count('left'), count('right'));
  const isBoth = (each: Set<Side>) => each.size === 2;
  const both = sides.filter(isBoth).length;
  // Where columns have other baselines, no row stands at both sides.
  if (both * 2 < score) return { x, from, to, score: score >= MIN_PROSE_ROWS ? score : 0 };
  const first = sides.findIndex(isBoth);
  const last = sides.findLastIndex(isBoth);
  const end = isTail(rows.slice(from + last, to)) ? to : from + last + 1;
  return { x, from: from + first, to: end, score };
}

/** Whether rows continue what is above them at one side: a longer column, or the last line of a cell. */
function isTail([first, ...rest]: readonly Row[]): boolean {
  const starts = first?.segments.map(({ x }) => x) ?? [];
  let above = first;
  return rest.every((row) => {
    const pitch = above ? (row.y - above.y) / Math.max(row.size, above.size) : 0;
    above = row;
    return (
      pitch < MAX_PITCH &&
      row.segments.every(({ x }) => starts.some((start) => Math.abs(start - x) < row.size))
    );
  });
}

/** In ems, from a line to the next one of its column. */
const MAX_PITCH = 1.8;

function divided(band: readonly Row[], x: number): [Row[], Row[]] {
  const side = (wanted: Side) =>
    band
      .map((row) => row.segments.filter((each) => (each.right <= x ? 'left' : 'right') === wanted))
      .filter((segments) => segments.length > 0)
      .map(rowFrom);
  return [side('left'), side('right')];
}

/** Whether the lines of a column are sentences. */
function areProse(rows: readonly Row[]): boolean {
  if (rows.length < MIN_PROSE_ROWS) return false;
  const segments = rows.flatMap((row) => row.segments);
  const width = median(segments.map((each) => each.right - each.x));
  const widest = Math.max(...segments.map((each) => each.right - each.x));
  const chars = median(segments.map(({ fragments }) => textOf(runsOf(fragments)).length));
  return chars >= PROSE_CHARS && width >= PROSE_FILL * widest;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** In rows of a table, the least share of cells that have words. */
const MIN_FILLED = 0.4;

function tableArea(band: readonly Row[]): Area[] {
  const columns = columnsOf(band);
  const cells = band.map(({ segments }) =>
    columns.map(([from, to]) => segments.filter((each) => each.x < to && each.right > from)),
  );
  const rows = withoutBreaks(band, cells);
  const filled = rows.flat().filter((cell) => cell.length > 0).length;
  if (columns.length < 2 || filled < MIN_FILLED * rows.length * columns.length) return linesOf(band);
  return [{ kind: 'table', rows }];
}

/** Where the words of a table stand, with white space from its top to its bottom in between. */
function columnsOf(band: readonly Row[]): [from: number, to: number][] {
  const spans = band.flatMap(({ segments }) => segments).toSorted((a, b) => a.x - b.x);
  const columns: [number, number][] = [];
  for (const { x, right } of spans) {
    const last = columns.at(-1);
    if (last && x < last[1]) last[1] = Math.max(last[1], right);
    else columns.push([x, right]);
  }
  return columns;
}

/** Of the usual distance between rows. */
const CLOSE = 0.9;

/** A line without a first cell, close to the row above, continues its cells. */
function withoutBreaks(band: readonly Row[], cells: readonly Segment[][][]): Segment[][][] {
  const pitches = band.slice(1).map((row, at) => row.y - (band[at]?.y ?? 0));
  const usual = median(pitches);
  const rows: Segment[][][] = [];
  for (const [at, row] of cells.entries()) {
    const above = rows.at(-1);
    const pitch = pitches[at - 1] ?? Infinity;
    if (above && row[0]?.length === 0 && pitch < CLOSE * usual)
      row.forEach((cell, column) => above[column]?.push(...cell));
    else rows.push(row.map((cell) => [...cell]));
  }
  return rows;
}
