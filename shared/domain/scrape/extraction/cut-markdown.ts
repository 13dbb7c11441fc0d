/** What a model reads of a page at most. */
export const MAX_PAGE_TOKENS = 60_000;

/**
 * Tokens per character, by its bytes in UTF-8: more than the vocabularies in use need. English takes a token
 * for four or five letters, Russian for two or three; Chinese, Thai and Hindi up to 1.3 for a character.
 */
const TOKENS = { letter: 1 / 3, sign: 2 / 3, twoBytes: 2 / 3, threeBytes: 4 / 3, half: 1 };

/** Of a UTF-16 code unit; a character of four bytes has two. */
function tokensOf(unit: number): number {
  if (unit < 0x80) return unit === 0x20 || (unit | 0x20) > 0x60 ? TOKENS.letter : TOKENS.sign;
  if (unit < 0x800) return TOKENS.twoBytes;
  return unit >= 0xd800 && unit < 0xe000 ? TOKENS.half : TOKENS.threeBytes;
}

const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

type Cut = { markdown: string; truncated?: true };

/** What a model may read of a page: up to the last heading that keeps half of it, or else the last line. */
export function cutMarkdown(markdown: string, maxTokens = MAX_PAGE_TOKENS): Cut {
  let [tokens, end] = [0, 0];
  while (end < markdown.length && tokens <= maxTokens) tokens += tokensOf(markdown.charCodeAt(end++));
  if (tokens <= maxTokens) return { markdown };
  const fits = markdown.slice(0, end - 1);
  const heading = lastHeading(fits);
  const line = Math.max(fits.lastIndexOf('\n'), 0);
  const at = [heading, line].find((place) => place >= fits.length / 2) ?? withoutHalf(fits);
  return { markdown: fits.slice(0, at).trimEnd(), truncated: true };
}

/** Where the last section begins, past code that only looks like one. */
function lastHeading(markdown: string): number {
  let [place, found, fence] = [0, 0, ''];
  for (const line of markdown.split('\n')) {
    const [, mark = ''] = FENCE.exec(line) ?? [];
    if (fence === '' && HEADING.test(line)) found = place;
    else if (fence === '') fence = mark;
    else if (mark.startsWith(fence)) fence = '';
    place += line.length + 1;
  }
  return found;
}

/** The end without half of a surrogate pair. */
function withoutHalf(text: string): number {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.length - 1 : text.length;
}
