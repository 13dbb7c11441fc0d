import type { Fragment } from './fragment.ts';

/** Of the package: a run of text, or the begin or end of marked content. */
export type Item =
  | { str: string; dir: string; width: number; height: number; transform: readonly number[]; hasEOL: boolean }
  | { type: string; id?: string; tag?: string };

/** A link, in the units of the page. */
export type LinkArea = { url: string; rect: readonly number[] };

type Viewport = { transform: readonly number[] };
/** `x' = a·x + c·y + e`, `y' = b·x + d·y + f` */
type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];
const matrix = (values: readonly number[]): Matrix =>
  [...values, ...IDENTITY].slice(0, 6) as unknown as Matrix;

function times([a, b, c, d, e, f]: Matrix, [p, q, r, s, t, u]: Matrix): Matrix {
  return [a * p + c * q, b * p + d * q, a * r + c * s, b * r + d * s, a * t + c * u + e, b * t + d * u + f];
}

const MAX_FRAGMENTS = 100_000;

/** The fragments of a page, each direction of writing in a frame of its own; most words first. */
export function fragmentsByAngle(
  items: readonly Item[],
  links: readonly LinkArea[],
  viewport: Viewport,
): Fragment[][] {
  const view = matrix(viewport.transform);
  const areas = links.map(({ url, rect }) => ({ url, ...boxOf(rect, view) }));
  const groups = new Map<number, Fragment[]>();
  const marks: (string | undefined)[] = [];
  for (const item of items.slice(0, MAX_FRAGMENTS)) {
    if (!('str' in item)) {
      if (item.type === 'endMarkedContent') marks.pop();
      else marks.push(item.id ?? marks.at(-1));
      continue;
    }
    if (item.str.trim() === '') continue;
    const placed = times(view, matrix(item.transform));
    const angle = (Math.round(Math.atan2(placed[1], placed[0]) / QUARTER) + 4) % 4;
    const group = groups.get(angle) ?? [];
    group.push(...linkedParts(fragmentOf(item, placed, angle, marks.at(-1)), areas, angle));
    groups.set(angle, group);
  }
  const length = (group: readonly Fragment[]) => group.reduce((sum, { text }) => sum + text.length, 0);
  return [...groups.values()].toSorted((a, b) => length(b) - length(a));
}

const QUARTER = Math.PI / 2;

/** Arabic letters in the forms that they have within words. The package knows only some. */
const SHAPED = /[\ufe80-\ufefc]+/g;

type TextItem = Extract<Item, { str: string }>;

function fragmentOf(item: TextItem, placed: Matrix, angle: number, mark: string | undefined): Fragment {
  const [, , c, d, e, f] = placed;
  const { x, y } = turned(e, f, angle);
  return {
    text: item.str.replaceAll(SHAPED, (letters) => letters.normalize('NFKC')),
    x,
    y,
    width: item.width,
    size: Math.hypot(c, d) || item.height || 1,
    isRtl: item.dir === 'rtl',
    ...(mark !== undefined && { mark }),
  };
}

/** A place in the frame in which text of this angle, in quarters of a turn, runs to the right. */
function turned(x: number, y: number, angle: number): { x: number; y: number } {
  if (angle === 1) return { x: y, y: -x };
  if (angle === 2) return { x: -x, y: -y };
  return angle === 3 ? { x: -y, y: x } : { x, y };
}

type Box = { x0: number; y0: number; x1: number; y1: number };

function boxOf([x0 = 0, y0 = 0, x1 = 0, y1 = 0]: readonly number[], view: Matrix): Box {
  const [, , , , left, top] = times(view, [1, 0, 0, 1, x0, y0]);
  const [, , , , right, bottom] = times(view, [1, 0, 0, 1, x1, y1]);
  return boxAround([left, top], [right, bottom]);
}

const boxAround = ([ax, ay]: [number, number], [bx, by]: [number, number]): Box => ({
  ...{ x0: Math.min(ax, bx), x1: Math.max(ax, bx), y0: Math.min(ay, by), y1: Math.max(ay, by) },
});

/** Cuts a fragment where a link begins or ends in it. Letters are taken as equally wide, words as whole. */
function linkedParts(
  fragment: Fragment,
  areas: readonly (Box & { url: string })[],
  angle: number,
): Fragment[] {
  const middle = fragment.y - fragment.size * 0.3;
  for (const { url, ...area } of areas) {
    const a = turned(area.x0, area.y0, angle);
    const b = turned(area.x1, area.y1, angle);
    const box = boxAround([a.x, a.y], [b.x, b.y]);
    const [from, to] = [Math.max(box.x0, fragment.x), Math.min(box.x1, fragment.x + fragment.width)];
    if (middle < box.y0 || middle > box.y1 || to - from < fragment.size / 4) continue;
    const { text, x, width } = fragment;
    const place = (at: number) => wordBoundary(text, ((at - x) / width) * text.length);
    const [begin, end] = fragment.isRtl ? [0, text.length] : [place(from), place(to)];
    const part = (start: number, stop: number) => ({
      ...{ ...fragment, text: text.slice(start, stop) },
      ...{ x: x + (start / text.length) * width, width: ((stop - start) / text.length) * width },
    });
    if (begin >= end) continue;
    const rest = areas.filter((each) => each.url !== url || each.x0 !== area.x0 || each.y0 !== area.y0);
    return [
      ...(begin > 0 ? linkedParts(part(0, begin), rest, angle) : []),
      { ...part(begin, end), href: url },
      ...(end < text.length ? linkedParts(part(end, text.length), rest, angle) : []),
    ];
  }
  return [fragment];
}

/** The place nearest to one in a text at which a word begins or ends. */
function wordBoundary(text: string, at: number): number {
  const near = [...text.matchAll(/(?<=^|\s)(?=\S)|(?<=\S)(?=\s|$)/gu)].map(({ index }) => index);
  return near.reduce((best, each) => (Math.abs(each - at) < Math.abs(best - at) ? each : best), 0);
}
