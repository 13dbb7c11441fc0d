/** Characters of one font on one line. `x` and `y` grow to the right and downwards, in points. */
export type Fragment = {
  text: string;
  x: number;
  /** Of the baseline. */
  y: number;
  width: number;
  size: number;
  isRtl: boolean;
  href?: string | undefined;
  /** Of the marked content that it is part of. */
  mark?: string | undefined;
};

export const right = ({ x, width }: Pick<Fragment, 'x' | 'width'>): number => x + width;

/** Ideographs, kana and their punctuation, between which lines break without a space. */
const UNSPACED = /[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]/u;
const LAST_UNSPACED = new RegExp(`${UNSPACED.source}$`, 'u');
const FIRST_UNSPACED = new RegExp(`^${UNSPACED.source}`, 'u');
/** The first part of a word that is broken at the end of its line. */
const BROKEN = /\p{L}[-\u2010]$/u;

export type Run = { text: string; href?: string | undefined };

/** The runs of two lines. A word that was broken at the end of the first is whole. */
export function joinLines(before: readonly Run[], after: readonly Run[]): Run[] {
  const last = before.at(-1);
  const [first] = after;
  if (last === undefined || first === undefined) return [...before, ...after];
  const rest = before.slice(0, -1);
  if (last.text.endsWith('\u00ad') || (BROKEN.test(last.text) && /^\p{Ll}/u.test(first.text)))
    return [...rest, { ...last, text: last.text.slice(0, -1) }, ...after];
  const isUnspaced = LAST_UNSPACED.test(last.text) && FIRST_UNSPACED.test(first.text);
  return isUnspaced ? [...before, ...after] : [...rest, { ...last, text: `${last.text} ` }, ...after];
}

/** In ems: closer fragments are one word. */
const WORD_GAP = 0.12;

/** Fragments of one line as runs, in the order in which they are read. */
export function runsOf(fragments: readonly Fragment[]): Run[] {
  const sorted = fragments.toSorted((a, b) => a.x - b.x);
  const runs: Run[] = [];
  let previous: Fragment | undefined;
  for (const fragment of inReadingOrder(sorted)) {
    const isApart = previous !== undefined && gapBetween(previous, fragment) > WORD_GAP * fragment.size;
    const last = runs.at(-1);
    const isSpaced = last === undefined || /\s$/.test(last.text) || /^\s/.test(fragment.text);
    if (last && isApart && !isSpaced) last.text += ' ';
    if (last && last.href === fragment.href) last.text += fragment.text;
    else runs.push({ text: fragment.text, href: fragment.href });
    previous = fragment;
  }
  return runs;
}

function gapBetween(a: Fragment, b: Fragment): number {
  return Math.max(b.x - right(a), a.x - right(b));
}

const LETTERS = /\p{L}/u;

/** From right to left if most of the letters are; numbers and words of other scripts keep their order. */
function inReadingOrder(sorted: readonly Fragment[]): Fragment[] {
  const rtl = lettersIn(sorted.filter(({ isRtl }) => isRtl));
  if (rtl * 2 <= lettersIn(sorted)) return [...sorted];
  const groups: Fragment[][] = [];
  for (const fragment of sorted) {
    const last = groups.at(-1);
    const goesOn = last !== undefined && !fragment.isRtl && last.every(({ isRtl }) => !isRtl);
    if (goesOn) last.push(fragment);
    else groups.push([fragment]);
  }
  return groups.toReversed().flat();
}

function lettersIn(fragments: readonly Fragment[]): number {
  return fragments.reduce((sum, { text }) => sum + (text.match(new RegExp(LETTERS, 'gu'))?.length ?? 0), 0);
}

export const textOf = (runs: readonly Run[]): string => runs.map(({ text }) => text).join('');
