import { type Fragment, right } from './fragment.ts';
import { isMarker } from './marker.ts';

/** Fragments beside each other without a wide gap. */
export type Segment = { fragments: Fragment[]; x: number; right: number; y: number; size: number };

/** Segments on one baseline, from left to right. */
export type Row = { y: number; size: number; segments: Segment[] };

/** In ems. Spaces of justified lines are narrower, gutters between columns wider. */
const GUTTER = 0.8;
const AFTER_MARKER = 3;
/** In ems: how far apart baselines of one line may be, as of an index above it. */
const ONE_LINE = 0.4;

export function segmentOf(fragments: Fragment[]): Segment {
  const sizes = fragments.map(({ size }) => size);
  return {
    fragments,
    x: Math.min(...fragments.map(({ x }) => x)),
    right: Math.max(...fragments.map(right)),
    y: Math.max(...fragments.map(({ y }) => y)),
    size: Math.max(...sizes),
  };
}

/** The rows of a page from its top to its bottom. */
export function rowsOf(fragments: readonly Fragment[]): Row[] {
  const sorted = fragments.toSorted((a, b) => a.y - b.y || a.x - b.x);
  const lines: Fragment[][] = [];
  for (const fragment of sorted) {
    const last = lines.at(-1);
    const base = last?.[0];
    const near = base && fragment.y - base.y <= ONE_LINE * Math.max(base.size, fragment.size);
    if (last && near) last.push(fragment);
    else lines.push([fragment]);
  }
  return withJustified(lines.map((line) => rowFrom(segmentsIn(line))));
}

/** In ems: by how much gaps between words of a justified line differ. */
const EVEN = 0.15;
/** Characters of a line that shows where its column begins and ends. */
const LONG = 16;

/** Words of a justified line are one segment, however far apart, if another line has the same edges. */
function withJustified(rows: Row[]): Row[] {
  const isLong = ({ fragments }: Segment) => textOf(fragments).length >= LONG;
  const edges = new Set(
    rows.flatMap(({ segments }) => segments.filter(isLong).map(({ x, right: end }) => keyOf(x, end))),
  );
  const nearby = [-1, 0, 1];
  const isLine = (x: number, end: number) =>
    nearby.some((a) => nearby.some((b) => edges.has(keyOf(x + a, end + b))));
  return rows.map((row) => {
    const runs = evenRuns(row.segments).flatMap((run) => {
      const isWhole = run.length > 2 && isLine(run[0]?.x ?? 0, run.at(-1)?.right ?? 0);
      return isWhole ? segmentOf(run.flatMap(({ fragments }) => fragments)) : run;
    });
    return runs.length === row.segments.length ? row : rowFrom(runs);
  });
}

const keyOf = (x: number, end: number) => `${Math.round(x)},${Math.round(end)}`;

/** Segments with equal gaps between them. */
function evenRuns(segments: readonly Segment[]): Segment[][] {
  const runs: Segment[][] = [];
  let gap: number | undefined;
  for (const segment of segments) {
    const run = runs.at(-1);
    const width = segment.x - (run?.at(-1)?.right ?? 0);
    if (run && (gap === undefined || Math.abs(width - gap) < EVEN * segment.size)) {
      run.push(segment);
      gap ??= width;
    } else {
      // A gutter between two columns ends no run of the second.
      const first = run?.length === 2 ? run.splice(1) : [];
      runs.push([...first, segment]);
      gap = first.length > 0 ? width : undefined;
    }
  }
  return runs;
}

export function rowFrom(segments: Segment[]): Row {
  const y = Math.max(...segments.map((segment) => segment.y));
  return { y, size: Math.max(...segments.map(({ size }) => size)), segments };
}

const textOf = (fragments: readonly Fragment[]) => fragments.map(({ text }) => text).join('');

/** Whether a fragment is an item of a list after its mark. Within rows, `-` and `(5)` may be cells. */
function marks(mark: readonly Fragment[], item: Fragment, isFirst: boolean): boolean {
  const text = textOf(mark);
  return isMarker(text) && (isFirst || !/^[-\u2013*(]/.test(text) || /^\p{L}/u.test(item.text));
}

function segmentsIn(line: readonly Fragment[]): Segment[] {
  const parts: Fragment[][] = [];
  let end = -Infinity;
  for (const fragment of line.toSorted((a, b) => a.x - b.x)) {
    const last = parts.at(-1);
    const gutter = last && marks(last, fragment, parts.length === 1) ? AFTER_MARKER : GUTTER;
    if (last && fragment.x - end < gutter * fragment.size) last.push(fragment);
    else parts.push([fragment]);
    end = Math.max(end, right(fragment));
  }
  return parts.map(segmentOf);
}
