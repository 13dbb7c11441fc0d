import { element, escaped, linked, type ListItem, listsOf, tableOf } from '../html.ts';
import { joinLines, type Run, runsOf, textOf } from './fragment.ts';
import type { Area } from './layout.ts';
import { markerOf } from './marker.ts';
import type { Segment } from './rows.ts';

/** The size of most characters, and larger ones from the largest, which are of headings. */
export type Sizes = { body: number; headings: readonly number[] };

type Paragraph = { runs: Run[]; size: number; x: number };

const HEADING_RATIO = 1.14;
const MAX_LEVEL = 6;
const MAX_HEADING_CHARS = 250;

const rounded = (size: number) => Math.round(size * 2) / 2;

/** Of all lines of a document. */
export function sizesOf(areas: readonly Area[]): Sizes {
  const chars = new Map<number, number>();
  const segments = areas.flatMap((area) => (area.kind === 'table' ? area.rows.flat(2) : area.rows));
  for (const { fragments } of segments)
    for (const { size, text } of fragments)
      chars.set(rounded(size), (chars.get(rounded(size)) ?? 0) + text.length);
  const [body = 0] = [...chars].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const larger = [...chars.keys()].filter((size) => size >= body * HEADING_RATIO);
  return { body, headings: larger.toSorted((a, b) => b - a) };
}

/** An area of a page as HTML. */
export function htmlOfArea(area: Area, sizes: Sizes): string {
  if (area.kind === 'lines') return htmlOfLines(paragraphsOf(area.rows), sizes);
  const cell = (segments: readonly Segment[]) => ({ html: htmlOf(linesTogether(segments)) });
  return tableOf(area.rows.map((row) => row.map(cell)));
}

export const htmlOf = (runs: readonly Run[]): string =>
  runs.map(({ text, href }) => linked(escaped(text), href)).join('');

function linesTogether(segments: readonly Segment[]): Run[] {
  return segments
    .map(({ fragments }) => runsOf(fragments))
    .reduce<Run[]>((before, after) => joinLines(before, after), []);
}

/** In ems: a larger distance than between the lines of a paragraph. */
const [SPACED, FIRST_INDENT] = [0.35, 0.7];
/** Of the width of its column: a line that ends before is the last one of its paragraph. */
const SHORT = 0.75;

function paragraphsOf(lines: readonly Segment[]): Paragraph[] {
  const leading = usualLeading(lines);
  const edges = { x: least(lines.map(({ x }) => x)), right: most(lines.map((line) => line.right)) };
  const paragraphs: Paragraph[] = [];
  let above: Segment | undefined;
  for (const line of lines) {
    const runs = runsOf(line.fragments);
    const last = paragraphs.at(-1);
    const goesOn = above !== undefined && last !== undefined && isSame(above, line, { leading, edges, last });
    if (goesOn) last.runs = joinLines(last.runs, runs);
    else paragraphs.push({ runs, size: line.size, x: line.x });
    above = line;
  }
  return paragraphs;
}

const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b), Infinity);
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), -Infinity);

/** The distance of most lines to the next one, in ems. */
function usualLeading(lines: readonly Segment[]): number {
  const counts = new Map<number, number>();
  for (const [at, line] of lines.slice(1).entries()) {
    const above = lines[at];
    const pitch = above && line.size > 0 ? Math.round(((line.y - above.y) / line.size) * 20) / 20 : 0;
    if (pitch > 0.8 && pitch < 2.5) counts.set(pitch, (counts.get(pitch) ?? 0) + 1);
  }
  const [usual = 1.2] = [...counts].toSorted(([a, m], [b, n]) => n - m || a - b)[0] ?? [];
  return usual;
}

type Around = { leading: number; edges: { x: number; right: number }; last: Paragraph };

/** Whether a line belongs to the paragraph of the line above. */
function isSame(above: Segment, line: Segment, { leading, edges, last }: Around): boolean {
  const pitch = (line.y - above.y) / line.size;
  const isNear = pitch > 0 && pitch < leading + SPACED;
  const hasSize = Math.abs(line.size - above.size) < 0.08 * above.size;
  if (!isNear || !hasSize || markerOf(textOf(runsOf(line.fragments)))) return false;
  const width = edges.right - edges.x;
  const isIndented = line.x - above.x > FIRST_INDENT * line.size && above.x - edges.x < line.size / 2;
  const text = textOf(last.runs);
  const hasEnded =
    above.right < edges.x + SHORT * width && /[.!?:;\u3002]["')\]\u201d\u2019]*\s*$/.test(text);
  // Later lines of an item stand under its words.
  return !(isIndented && !markerOf(text)) && !hasEnded;
}

function htmlOfLines(paragraphs: readonly Paragraph[], sizes: Sizes): string {
  let html = '';
  let items: (ListItem & { x: number; whole: string })[] = [];
  const close = () => {
    const [only] = items;
    const isLone = items.length === 1 && only?.isOrdered === true;
    html += isLone ? element('p', only.whole) : listsOf(items);
    items = [];
  };
  for (const paragraph of paragraphs) {
    const { runs, size, x } = paragraph;
    const text = textOf(runs);
    const level = headingLevel(size, text, sizes);
    const marker = level === undefined ? markerOf(text) : undefined;
    if (marker && marker.length < text.length) {
      const depth = new Set(items.filter((item) => item.x < x - size / 2).map((item) => Math.round(item.x)))
        .size;
      items.push({
        ...marker,
        x,
        level: Math.min(depth, items.length),
        html: htmlOf(cutStart(runs, marker.length)),
        whole: htmlOf(runs),
      });
      continue;
    }
    close();
    if (text.trim() !== '') html += element(level === undefined ? 'p' : `h${level}`, htmlOf(runs));
  }
  close();
  return html;
}

/** Without so many characters at the beginning. */
export function cutStart(runs: readonly Run[], length: number): Run[] {
  let left = length;
  return runs.map((run) => {
    const text = run.text.slice(Math.min(left, run.text.length));
    left -= run.text.length - text.length;
    return { ...run, text };
  });
}

function headingLevel(size: number, text: string, { body, headings }: Sizes): number | undefined {
  if (size < body * HEADING_RATIO || text.length > MAX_HEADING_CHARS || !/[\p{L}\p{N}]/u.test(text))
    return undefined;
  const at = headings.indexOf(rounded(size));
  return at === -1 ? undefined : Math.min(at + 1, MAX_LEVEL);
}
