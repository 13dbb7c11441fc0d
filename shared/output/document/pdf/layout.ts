import {
  areBeside,
  areProse,
  columnsOf,
  continuing,
  divided,
  type Gutter,
  median,
  type Side,
  sidesOf,
  wholeColumns,
  wholeOf,
} from './columns.ts';
import { type Row, type Segment } from './rows.ts';

/** A part of a page: lines that follow each other, or a table of cells. */
export type Area = { kind: 'lines'; rows: Segment[] } | { kind: 'table'; rows: Segment[][][] };

const MAX_NESTING = 8;
/** More stand on no page that is laid out in columns. */
const MAX_ROWS = 2_000;
const MIN_ROWS = 2;

/** The parts of a page in reading order: a column whole before the one beside it. */
export function layOut(rows: readonly Row[], nesting = 0): Area[] {
  const gutter = nesting < MAX_NESTING && rows.length <= MAX_ROWS ? bestGutter(rows) : undefined;
  if (gutter === undefined) return linesOf(rows);
  const isProse = divided(rows.slice(gutter.from, gutter.to), gutter.x).every(areProse);
  const { x, from, to } = isProse ? wholeColumns(rows, gutter) : gutter;
  const band = rows.slice(from, to);
  const inside = isProse
    ? divided(band, x).flatMap((column) => layOut(column, nesting + 1))
    : tablesIn(band, nesting);
  return [...layOut(rows.slice(0, from), nesting), ...inside, ...layOut(rows.slice(to), nesting)];
}

function linesOf(rows: readonly Row[]): Area[] {
  if (rows.length === 0) return [];
  return [{ kind: 'lines', rows: rows.map(wholeOf) }];
}

const crosses = ({ segments }: Row, x: number) => segments.some((each) => each.x < x && each.right > x);

/** The gutter with the most rows at both of its sides. */
function bestGutter(rows: readonly Row[]): Gutter | undefined {
  const far = farRows(rows);
  let best: (Gutter & { score: number }) | undefined;
  for (const x of candidates(rows)) {
    let from = 0;
    for (let at = 0; at <= rows.length; at += 1) {
      const row = rows[at];
      const isOpen = row !== undefined && !crosses(row, x);
      if (isOpen && !far.has(at)) continue;
      const found = trimmed(rows, { x, from, to: at, within: { from, to: at } });
      if (found.score >= MIN_ROWS && found.score > (best?.score ?? 0)) best = found;
      from = isOpen ? at : at + 1;
    }
  }
  return best;
}

/** How much further apart than most rows those are that belong to nothing above, and in ems. */
const [FAR, MIN_FAR] = [1.8, 3];

function farRows(rows: readonly Row[]): Set<number> {
  const pitches = rows.slice(1).map((row, at) => row.y - (rows[at]?.y ?? 0));
  const usual = median(pitches);
  const isFar = (pitch: number, at: number) => pitch > Math.max(FAR * usual, MIN_FAR * (rows[at]?.size ?? 0));
  return new Set(pitches.flatMap((pitch, at) => (isFar(pitch, at + 1) ? [at + 1] : [])));
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

/** The same rows without those at its ends that stand at one side only: lines before and after it. */
function trimmed(rows: readonly Row[], gutter: Gutter): Gutter & { score: number } {
  const { x, from, to } = gutter;
  const sides = rows.slice(from, to).map((row) => new Set(sidesOf(row, x)));
  const count = (side: Side) => sides.filter((each) => each.has(side)).length;
  const score = Math.min(count('left'), count('right'));
  const isBoth = (each: Set<Side>) => each.size === 2;
  const both = sides.filter(isBoth).length;
  // Where columns have other baselines, no row stands at both sides.
  if (both * 2 < score) return { ...gutter, score: areBeside(rows.slice(from, to), x) ? score : 0 };
  const last = from + sides.findLastIndex(isBoth);
  return {
    ...gutter,
    from: from + sides.findIndex(isBoth),
    to: last + 1 + continuing(rows.slice(last, to)),
    score,
  };
}

/** Tables with headings between them. */
function tablesIn(band: readonly Row[], nesting: number): Area[] {
  const usual = median(band.map(({ size }) => size));
  const parts: Row[][] = [[]];
  for (const row of band) {
    const isHeading = row.segments.length === 1 && row.size > usual * HEADING_RATIO;
    if (isHeading) parts.push([row], []);
    else parts.at(-1)?.push(row);
  }
  return parts.length === 1 ? tableArea(band) : parts.flatMap((part) => layOut(part, nesting + 1));
}

const HEADING_RATIO = 1.14;

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

/** Of the usual distance from the last line of a row to the next row. */
const CLOSE = 0.9;

/** A line without a first cell, close to the row above, continues its cells. */
function withoutBreaks(band: readonly Row[], cells: readonly Segment[][][]): Segment[][][] {
  const pitches = band.slice(1).map((row, at) => row.y - (band[at]?.y ?? 0));
  const usual = median(pitches.filter((_, at) => cells[at + 1]?.[0]?.length !== 0));
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
