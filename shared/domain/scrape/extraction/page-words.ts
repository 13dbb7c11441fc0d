/** Typographic signs and what people type for them. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201A\u201B\u2032\u00B4\u0060]/g, "'"],
  [/[\u201C\u201D\u201E\u201F\u2033\u00AB\u00BB]/g, '"'],
  [/[\u2010-\u2015\u2212]/g, '-'],
  // Soft hyphens, joiners, marks of direction, and the byte order mark.
  [/[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/g, ''],
];

export const plainSigns = (text: string): string =>
  SIGNS.reduce((plain, [signs, sign]) => plain.replace(signs, sign), text);

/** A text for comparison: its signs plain, in one form of Unicode, its white space collapsed. */
export const comparable = (text: string): string =>
  plainSigns(text).normalize('NFKC').replace(/\s+/g, ' ').trim();

/** Scripts that write words without spaces, or attach their particles. */
const UNSPACED = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar', 'Tibetan'].map(
  (script) => `\\p{scx=${script}}`,
);
const ANY_UNSPACED = new RegExp(`^[${UNSPACED.join('')}]`, 'u');
export const isUnspaced = (letter: string): boolean => ANY_UNSPACED.test(letter);

/** A word, or a letter of a script without spaces. */
const WORD = new RegExp(`[${UNSPACED.join('')}]|[[\\p{L}\\p{M}\\p{N}_]--[${UNSPACED.join('')}]]+`, 'gv');
const IN_WORD = new RegExp(`^[[\\p{L}\\p{M}\\p{N}_]--[${UNSPACED.join('')}]]$`, 'v');

/** Characters for one text, so that a page of few words over and over takes no longer. */
const MAX_COMPARED = 200_000;

type Word = { word: string; index: number };

const wordsOf = (text: string): Word[] =>
  Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({ word, index }));

/** Finds texts in a page, each from the beginning of a word to the end of one. */
export function openWords(page: string): (text: string) => boolean {
  const placesOf = new Map<string, number[]>();
  for (const { word, index } of wordsOf(page)) {
    const places = placesOf.get(word);
    if (places) places.push(index);
    else placesOf.set(word, [index]);
  }
  const known = new Map<string, boolean>();
  const find = (text: string): boolean => {
    if (text === '') return false;
    const words = wordsOf(text);
    const places = words.map(({ word, index }) => ({ index, all: placesOf.get(word) ?? [] }));
    if (places.length === 0) return page.includes(text);
    // The rarest word is at the fewest places.
    const { index, all } = places.reduce((least, other) =>
      other.all.length < least.all.length ? other : least,
    );
    const most = Math.ceil(MAX_COMPARED / text.length);
    return all.slice(0, most).some((place) => isWholeAt(page, place - index, text));
  };
  return (text) => {
    const plain = comparable(text);
    const found = known.get(plain) ?? find(plain);
    known.set(plain, found);
    return found;
  };
}

const [DIGIT_BEFORE, DIGIT_AFTER] = [/\d[.,']$/, /^[.,']\d/];

/** Whether the text is there, and no part of a longer word or number. */
function isWholeAt(page: string, start: number, text: string): boolean {
  if (start < 0 || !page.startsWith(text, start)) return false;
  const end = start + text.length;
  const [first, last] = [text.charAt(0), text.at(-1) ?? ''];
  if (IN_WORD.test(first) && IN_WORD.test(page.charAt(start - 1))) return false;
  if (IN_WORD.test(last) && IN_WORD.test(page.charAt(end))) return false;
  if (isDigit(first) && DIGIT_BEFORE.test(page.slice(Math.max(0, start - 2), start))) return false;
  return !(isDigit(last) && DIGIT_AFTER.test(page.slice(end, end + 2)));
}

const isDigit = (sign: string) => sign >= '0' && sign <= '9';
